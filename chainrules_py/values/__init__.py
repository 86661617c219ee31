"""Questions about values: containers and their fields, array classes, functions and their signatures.

Nothing here knows of derivatives. Read `structure` and `arrays` first.
"""
