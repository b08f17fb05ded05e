import Testing

@testable import BleperaSimulation

@Suite struct ReportTests {
  private static func step(_ line: Int, _ app: String, _ outcome: StepResult.Outcome, trace: [String] = [])
    -> StepResult
  {
    StepResult(
      Scenario.Step(line: line, action: .serve(app: app)), outcome, start: .milliseconds(line),
      end: .milliseconds(line + 1500), trace: trace)
  }

  private static let result = ScenarioResult(
    title: "A <lock> & \"door\"", file: "folder/lock.plist",
    steps: [
      step(10, "a", .passed), step(20, "b#1", .failed("found \"A\"; expected <B>"), trace: ["0.001  phone  \u{7}on"]),
      step(30, "c", .skipped), step(40, "d", .broken("there is no app d")),
    ])

  @Test func `JUnit's XML has a suite for each scenario and a case for each step`() {
    #expect(
      JUnitReport([Self.result], times: [[.milliseconds(2), .milliseconds(3)]]).document == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="blepera" tests="4" failures="1" errors="1" time="0.005">
          <testsuite name="A &lt;lock&gt; &amp; &quot;door&quot;" tests="4" failures="1" errors="1" skipped="1" time="0.005">
            <properties>
              <property name="virtual time" value="1.540"/>
            </properties>
            <testcase name="1. serve a" classname="lock" time="0.002"/>
            <testcase name="2. serve b#1" classname="lock" time="0.003">
              <failure type="expectation" message="found &quot;A&quot;; expected &lt;B&gt;">folder/lock.plist:20: found &quot;A&quot;; expected &lt;B&gt;
        0.001  phone  on</failure>
            </testcase>
            <testcase name="3. serve c" classname="lock" time="0.000">
              <skipped/>
            </testcase>
            <testcase name="4. serve d" classname="lock" time="0.000">
              <error type="step" message="there is no app d">folder/lock.plist:40: there is no app d</error>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  @Test func `TAP has a test point for each step`() {
    var report = TAPReport()
    let lines =
      report.head(steps: 4)
      + Self.result.steps.flatMap { report.lines($0, of: Self.result.name, file: Self.result.file) }
    #expect(
      lines.joined(separator: "\n") == ##"""
        TAP version 13
        1..4
        ok 1 - lock: serve a
        not ok 2 - lock: serve b\#1
          ---
          message: "found \"A\"; expected <B>"
          at: "folder/lock.plist:20"
          trace:
            - "0.001  phone  on"
          ...
        ok 3 - lock: serve c # SKIP an earlier step has failed
        not ok 4 - lock: serve d
          ---
          message: "there is no app d"
          at: "folder/lock.plist:40"
          ...
        """##)
  }
}
