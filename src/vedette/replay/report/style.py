"""The look of the page: light, one column, system fonts; nothing is loaded from anywhere."""

from typing import Final

CSS: Final = """
:root { color-scheme: light; --ink: #111827; --soft: #6b7280; --line: #e5e7eb; }
* { box-sizing: border-box; }
body { margin: 0; background: #f9fafb; color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 40px 28px 80px; }
h1 { font-size: 27px; line-height: 1.25; margin: 0 0 6px; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 44px 0 6px; }
h3 { font-size: 15px; margin: 26px 0 8px; }
p { margin: 0 0 12px; max-width: 100ch; }
.soft, figcaption { color: var(--soft); font-size: 13.5px; }
.card { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin: 12px 0; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; margin: 14px 0 0; font-size: 13.5px; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.notes { margin: 12px 0 0; padding-left: 20px; font-size: 13.5px; }
.card.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 4px 10px; text-align: right; border-bottom: 1px solid #f3f4f6; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
thead th { border-bottom: 2px solid var(--line); font-size: 14px; }
tr.group th { padding-top: 14px; color: var(--soft); font-weight: 600; font-size: 12.5px; }
td.best { font-weight: 700; }
.swatch { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 6px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; color: var(--soft); margin: 4px 0 10px; }
svg { display: block; width: 100%; height: auto; }
svg.pixels { position: absolute; width: 0; height: 0; }
svg text { font-size: 12px; fill: var(--ink); }
svg text.tick { fill: var(--soft); font-size: 11.5px; } svg text.middle { text-anchor: middle; }
svg text.absent { fill: var(--soft); }
svg text.end { text-anchor: end; } svg text.value { font-size: 13px; }
svg text.name { font-weight: 600; font-size: 13px; }
svg text.on-dark { fill: #fff; text-anchor: middle; font-size: 11px; }
svg text.on-light { fill: #374151; text-anchor: middle; font-size: 11px; }
svg text.box-name { font-weight: 700; font-size: 14px; paint-order: stroke; stroke: #111827; stroke-width: 3.5px; }
.grid { stroke: #eceef1; stroke-width: 1; }
.label-box-halo { stroke: #111827; stroke-width: 2.2; opacity: 0.5; }
.label-box { stroke: #fff; stroke-width: 1.3; stroke-dasharray: 5 4; }
.label-footprint { stroke: #111827; stroke-width: 1.5; stroke-dasharray: 4 2.5; }
.views { display: grid; grid-template-columns: minmax(0, 2.42fr) minmax(0, 1fr); gap: 10px; margin: 0 0 10px; }
.views figure { margin: 0; } .views svg { border: 1px solid var(--line); border-radius: 6px; background: #fff; }
.views figcaption { margin: 0 0 2px; }
dl.definitions dt { font-weight: 600; margin-top: 8px; }
dl.definitions dd { margin: 0; color: #374151; max-width: 90ch; }
pre { background: #f3f4f6; padding: 12px; border-radius: 8px; overflow-x: auto; font-size: 12.5px; }
@media (max-width: 760px) { .views { grid-template-columns: 1fr; } }
"""
