import Preservation
import Testing

@Suite("A damaged document of the preserved state")
struct DamageTests {
  @Test("Cut anywhere, it is an error")
  func truncation() throws {
    let document = try StateDocument.encode(Samples.full)
    #expect(throws: StateDocumentError.damaged(.empty)) { try StateDocument.decode([]) }
    for length in 1..<document.count {
      #expect(throws: StateDocumentError.damaged(.unsealed(length: length))) {
        try StateDocument.decode(Array(document[..<length]))
      }
    }
  }

  @Test("With any bit of any byte flipped, it is an error")
  func flippedBits() throws {
    let document = try StateDocument.encode(Samples.full)
    var damaged = document
    var accepted: [Int] = []
    for index in document.indices {
      for bit in 0..<8 {
        damaged[index] = document[index] ^ 1 << bit
        do throws(StateDocumentError) {
          _ = try StateDocument.decode(damaged)
          accepted.append(index)
        } catch {
          guard case .damaged = error else { accepted.append(index); continue }
        }
      }
      damaged[index] = document[index]
    }
    #expect(accepted == [])
  }
}
