"""`chainrules draw` prints a graph."""


def test_the_graph_is_printed(run):
    done = run("draw", "numpy:sinh", "float64[3]")
    lines = done.out.splitlines()
    assert (done.status, lines[0]) == (0, "flowchart TD")
    assert 'n1["v1 = np.sinh(x)<br>float64[3] · keeps 24 B"]' in lines


def test_as_data(run):
    data = run("draw", "numpy.sinh", "0.5", "--json").data
    assert data["operations"] == 1
    assert data["mermaid"].startswith("flowchart TD\n")
