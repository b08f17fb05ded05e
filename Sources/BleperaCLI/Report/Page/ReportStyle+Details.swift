/// The style of the details of a moment, and of narrow pages.
extension ReportStyle {
  static let details = #"""
    #details { position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow-y: auto; }
    #details h2 { font-size: 18px; line-height: 1.3; display: flex; align-items: center; gap: 9px;
      overflow-wrap: anywhere; }
    #details h2 + .text { margin-top: 4px; }
    #details .when { display: flex; justify-content: space-between; gap: 12px; color: var(--dim); font-size: 13px;
      font-variant-numeric: tabular-nums; margin-bottom: 4px; }
    #details .when a { white-space: nowrap; }
    #details .meaning { color: var(--dim); margin-top: 4px; }
    .fields { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; margin: 12px 0 0;
      font-size: 13px; }
    .fields dt { color: var(--dim); } .fields dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
    .rulecard { margin-top: 12px; padding: 8px 12px; border-left: 3px solid var(--accent); background: var(--soft);
      border-radius: 0 8px 8px 0; font-size: 13.5px; }
    .rulecard b { font-weight: 650; }
    .rulecard .dim { display: block; }
    .phone { border-top: 1px solid var(--line); margin-top: 18px; padding-top: 2px; }
    .phone summary { cursor: pointer; font-weight: 650; padding: 8px 0 4px; }
    .chips { display: flex; flex-wrap: wrap; gap: 6px; }
    .chip { font-size: 12.5px; padding: 2px 9px; border-radius: 6px; background: var(--soft);
      overflow-wrap: anywhere; border: 1px solid transparent; }
    .chip.foreground { background: var(--foreground); } .chip.background { background: var(--background); }
    .chip.inactive { background: var(--inactive); }
    .chip.notRunning { background: var(--ends); border: 1px dashed var(--life); }
    .packet { margin-top: 10px; }
    .packet .name { display: flex; justify-content: space-between; font-size: 12.5px; color: var(--dim); }
    .packet table { border-collapse: collapse; width: 100%; font-size: 13px; }
    .packet td { padding: 5px 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
    .packet td:first-child { padding-right: 14px; width: 46%; word-spacing: -1px; }
    .packet .head { color: var(--dim); }
    .grid { border-collapse: separate; border-spacing: 2px; width: 100%; table-layout: fixed; margin-top: 4px;
      font-variant-numeric: tabular-nums; font-size: 10px; line-height: 1; }
    .grid th { font-weight: 400; color: var(--dim); padding: 0; height: 15px; text-align: center; }
    .grid td { text-align: center; height: 20px; padding: 0; border-radius: 3px; background: var(--soft); }
    .grid td.set { background: var(--accent); color: var(--accent-ink); font-weight: 700;
      box-shadow: 0 0 0 1px var(--accent); }
    .bits { list-style: none; margin: 8px 0 0; padding: 0; font-size: 13px; }
    .bits li { overflow-wrap: anywhere; }
    .plain { margin: 6px 0 0; padding-left: 18px; font-size: 13px; overflow-wrap: anywhere; }
    pre { margin: 8px 0 0; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }

    @media (max-width: 860px) {
      header, main { padding-left: 14px; padding-right: 14px; }
      header { padding-top: 18px; }
      h1 { font-size: 20px; }
      .columns { grid-template-columns: minmax(0, 1fr); gap: 0; }
      .columns .panel { margin-bottom: 14px; }
      .panel { padding: 12px; }
      #runs { grid-template-columns: minmax(0, 1fr); }
      #overview dl { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 10px 12px; }
      #overview dd { font-size: 18px; }
      #list { height: 340px; }
      .row { height: 48px; grid-template-columns: 14px minmax(0, 1fr) auto; grid-template-rows: auto auto;
        align-content: center; gap: 0 9px; }
      .row .time { grid-column: 3; grid-row: 1; }
      .row svg { grid-column: 1; grid-row: 1; }
      .row .what { grid-column: 2; grid-row: 1; }
      .row .text, .row.step .text { grid-column: 2; grid-row: 2; font-size: 12px; }
      .row .rules { grid-column: 3; grid-row: 2; text-align: right; }
      .row.step .text { grid-row: 1 / 3; white-space: normal; line-height: 1.35;
        display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
      #details { position: static; max-height: none; }
      .packet td { display: block; width: auto !important; padding: 4px 0 0; }
      .packet td + td { border-top: 0; padding: 0 0 5px; }
      .grid { border-spacing: 1px; font-size: 9px; letter-spacing: -0.03em; }
      .keys { display: none; }
      button { min-height: 36px; }
    }
    @media (prefers-reduced-motion: no-preference) { button { transition: border-color .12s; } }

    """#
}
