import BleperaPreservation
import Testing

@Suite("A corrupt state file")
struct CorruptionTests {
  @Test("Cut anywhere, it is an error")
  func truncation() throws {
    let document = try StateFile.encode(Samples.full)
    #expect(throws: StateFileError.corrupt(.empty)) { try StateFile.decode([]) }
    for length in 1..<document.count {
      #expect(throws: StateFileError.corrupt(.truncated(length: length))) {
        try StateFile.decode(Array(document[..<length]))
      }
    }
  }

  @Test("With any bit of any byte flipped, it is an error")
  func flippedBits() throws {
    let document = try StateFile.encode(Samples.full)
    var damaged = document
    var accepted: [Int] = []
    for index in document.indices {
      for bit in 0..<8 {
        damaged[index] = document[index] ^ 1 << bit
        do throws(StateFileError) {
          _ = try StateFile.decode(damaged)
          accepted.append(index)
        } catch {
          guard case .corrupt = error else {
            accepted.append(index)
            continue
          }
        }
      }
      damaged[index] = document[index]
    }
    #expect(accepted == [])
  }
}
