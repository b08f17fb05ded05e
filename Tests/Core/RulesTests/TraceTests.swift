import Testing

@Suite("Traces")
struct TraceTests {
  @Test("A line with other actions or another answer is reported with what was found") func differences() {
    let trace = Trace(
      "",
      """
      0 radio on
      1 launched a backgroundMode -> a background launched,
        schedule never
      1 ? state a foreground
      1 ? state a suspended
      """)
    #expect(
      trace.differences() == [
        "1 launched a backgroundMode -> a background launched,  schedule never  IS  a foreground launched",
        "1 ? state a suspended  IS  foreground",
      ])
  }
}
