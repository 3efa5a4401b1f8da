"""Pages of answers: HTML that needs nothing but itself, diagrams as SVG, and what a notebook shows."""
