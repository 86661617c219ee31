"""`scipy.sparse` for code that is differentiated: its module `linalg`."""
