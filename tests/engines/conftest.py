"""One of the engines is PyTorch, which warns while it loads."""

import quiet_torch as quiet_torch
