"""Nothing here is a test, and some modules import libraries that may be absent: pytest only puts
this folder on the path.
"""

collect_ignore_glob = ["*"]
