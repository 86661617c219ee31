"""Compiled programs that raise what their function does not raise are errors in these tests."""

from chainrules_programs.compiling.compile import settings

settings.faults_raise, settings.patience = True, float("inf")
