/// The style of the page: its colors, frame, timeline and list.
enum ReportStyle {
  static let text = #"""
    :root {
      color-scheme: light dark;
      --page: #f6f6f4; --panel: #ffffff; --ink: #1c1c1e; --dim: #63636a; --line: #e2e2de; --soft: #f1f1ee;
      --accent: #1f57c3; --accent-ink: #ffffff; --select: #e6eefc;
      --user: #5b5b63; --state: #2f7d4f; --life: #b3261e; --air: #a35f00; --link: #0b7285; --request: #1f57c3;
      --value: #7a3fc0; --problem: #c2410c;
      --foreground: #cdebd6; --background: #d7e4fa; --suspended: #ececea; --inactive: #f7edcf; --ends: #fbe3e0;
      --shade: #f8e8cc; --linkband: #d3edf1; --good: #1e7a45; --bad: #b3261e;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #131315; --panel: #1c1c1f; --ink: #ececee; --dim: #a0a0a8; --line: #323237; --soft: #26262a;
        --accent: #8ab4ff; --accent-ink: #10131a; --select: #24324c;
        --user: #b6b6bf; --state: #74cc97; --life: #ff8a80; --air: #eab464; --link: #66c9db; --request: #8ab4ff;
        --value: #c7a0f8; --problem: #ff9d66;
        --foreground: #1f4a30; --background: #243a5e; --suspended: #2c2c31; --inactive: #4a4020; --ends: #4b2320;
        --shade: #493a1e; --linkband: #1b424a; --good: #74cc97; --bad: #ff8a80;
      }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    body { margin: 0; background: var(--page); color: var(--ink);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
    header, main { max-width: 1320px; margin: 0 auto; padding: 0 24px; }
    header { padding-top: 28px; }
    h1 { font-size: 24px; line-height: 1.25; font-weight: 650; margin: 0; letter-spacing: -0.01em; }
    h2 { font-size: 15px; font-weight: 650; margin: 0; }
    h3 { font-size: 13px; font-weight: 650; margin: 20px 0 6px; color: var(--dim); }
    p { margin: 0; }
    .dim, #source, .keys, #count { color: var(--dim); font-size: 13px; }
    #source { margin-top: 4px; }
    h1, #source, .text { unicode-bidi: isolate; overflow-wrap: anywhere; }
    code, .mono { font: 12.5px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
    .panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px;
      margin: 16px 0; min-width: 0; }
    .bar { display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-bottom: 10px; }
    .tools { display: flex; gap: 6px; }
    button { font: inherit; font-size: 13px; color: inherit; background: var(--soft); border: 1px solid var(--line);
      border-radius: 7px; padding: 3px 10px; min-height: 30px; min-width: 32px; cursor: pointer; }
    button:hover { border-color: var(--dim); }
    button[aria-pressed="true"] { background: var(--select); border-color: var(--accent); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    #list:focus-visible { outline-width: 1px; }
    a { color: var(--accent); }

    #runs { margin-top: 18px; display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 8px; }
    #runs a { display: block; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; color: inherit;
      background: var(--panel); text-decoration: none; font-size: 13px; line-height: 1.35; }
    #runs a[aria-current] { border-color: var(--accent); background: var(--select); }
    #runs b { font-weight: 600; }
    #overview dl { display: flex; flex-wrap: wrap; gap: 8px 34px; margin: 18px 0 0; }
    #overview dt { font-size: 12px; color: var(--dim); }
    #overview dd { margin: 0; font-size: 22px; line-height: 1.3; font-weight: 600; font-variant-numeric: tabular-nums; }
    #overview dd small { font-size: 12px; font-weight: 400; color: var(--dim); }
    .verdict { display: inline-block; margin-top: 12px; padding: 2px 10px; border-radius: 20px; font-size: 13px;
      font-weight: 600; border: 1px solid currentColor; }
    .passed { color: var(--good); } .failed, .error { color: var(--bad); } .skipped { color: var(--dim); }
    .callout { margin-top: 12px; padding: 10px 14px; border: 1px solid var(--bad); border-left-width: 4px;
      border-radius: 8px; background: var(--panel); overflow-wrap: anywhere; }
    .callout.mild { border-color: var(--air); }

    #timeline { position: relative; overflow: hidden; border-radius: 6px; touch-action: pan-y; cursor: crosshair;
      user-select: none; }
    #timeline svg { display: block; width: 100%; }
    #timeline text { fill: var(--ink); font-size: 11.5px; }
    #timeline .head { font-weight: 650; font-size: 12.5px; }
    #timeline .dim { fill: var(--dim); }
    #timeline .rule { stroke: var(--line); stroke-width: 1; shape-rendering: crispEdges; }
    #timeline .track { fill: var(--soft); }
    #timeline .foreground { fill: var(--foreground); } #timeline .background { fill: var(--background); }
    #timeline .inactive { fill: var(--inactive); } #timeline .suspended { fill: url(#hatch); }
    #timeline .notRunning { fill: var(--ends); stroke: var(--life); stroke-dasharray: 3 3; }
    #timeline .onair { fill: var(--shade); } #timeline .off { fill: url(#hatch); }
    #timeline .linked { fill: var(--linkband); }
    #timeline .stepband { fill: var(--soft); stroke: var(--line); }
    #timeline .stepband.bad { fill: var(--ends); stroke: var(--life); }
    #timeline .action { stroke: var(--link); stroke-width: 2.5; }
    #timeline .cursor { stroke: var(--accent); stroke-width: 1.5; }
    #timeline .flag { fill: var(--accent); } #timeline .flagtext { fill: var(--accent-ink); font-weight: 600; }
    .glyph { fill: currentColor; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
    .glyph.open { fill: var(--panel); } .glyph.lines { fill: none; stroke-width: 1.9; }
    #timeline .bar { fill: currentColor; opacity: .75; }
    .many { stroke: currentColor; stroke-width: 2; opacity: .45; }
    .c-user { color: var(--user); } .c-state { color: var(--state); } .c-life { color: var(--life); }
    .c-air { color: var(--air); } .c-link { color: var(--link); } .c-request { color: var(--request); }
    .c-value { color: var(--value); } .c-problem { color: var(--problem); } .c-step { color: var(--dim); }
    #legend { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 12px; }
    #legend button { display: inline-flex; align-items: center; gap: 6px; background: none; border-radius: 20px;
      padding: 2px 11px 2px 8px; }
    #legend button[aria-pressed="false"] { color: var(--dim); text-decoration: line-through; }
    #legend button[aria-pressed="false"] svg { opacity: .35; }
    #legend .swatch { display: inline-flex; align-items: center; gap: 6px; font-size: 12px; color: var(--dim);
      padding: 0 6px; }
    .swatch i { width: 20px; height: 12px; border-radius: 3px; border: 1px solid var(--line); }
    i.foreground { background: var(--foreground); } i.background { background: var(--background); }
    i.inactive { background: var(--inactive); }
    i.notRunning { background: var(--ends); border: 1px dashed var(--life); }
    i.suspended, .chip.suspended { background: repeating-linear-gradient(135deg, var(--line) 0 2px,
      var(--suspended) 2px 6px); }

    .columns { display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); gap: 16px; align-items: start; }
    .columns .panel { margin-top: 0; }
    #filter { width: 100%; font: inherit; font-size: 14px; color: inherit; background: var(--page);
      border: 1px solid var(--line); border-radius: 8px; padding: 7px 10px; margin-bottom: 8px; }
    #list { height: 560px; overflow-y: auto; overflow-x: hidden; position: relative; border-radius: 6px; }
    #rows { position: relative; }
    .row { position: absolute; left: 0; right: 0; height: 32px; display: grid; align-items: center; gap: 0 10px;
      grid-template-columns: 86px 14px 112px minmax(0, 1fr) auto; padding: 0 8px; border-radius: 6px; cursor: pointer;
      font-size: 13px; white-space: nowrap; }
    .row:hover { background: var(--soft); }
    .row[aria-selected="true"] { background: var(--select); box-shadow: inset 3px 0 0 var(--accent); }
    .row .time { color: var(--dim); font-variant-numeric: tabular-nums; text-align: right; font-size: 12px; }
    .row .what { font-weight: 600; overflow: hidden; text-overflow: ellipsis; }
    .row .text { overflow: hidden; text-overflow: ellipsis; color: var(--ink); white-space: pre; }
    .row .rules { color: var(--dim); font-size: 11.5px; }
    .row.step .text { color: var(--dim); grid-column: 3 / 5; font-style: normal; }
    .row.step { border-top: 1px solid var(--line); border-radius: 0; }
    .keys { margin-top: 8px; }
    kbd { font: inherit; font-size: 11.5px; border: 1px solid var(--line); border-radius: 4px; padding: 0 5px;
      background: var(--soft); }
    kbd:not(:first-child) { margin-left: 6px; } kbd + kbd { margin-left: 0 !important; }

    """#
}
