"""What drivers of lode share: where files are (stores), and what is to be done (work). No analysis."""
