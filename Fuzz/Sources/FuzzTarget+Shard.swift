import BleperaCLI
import BleperaDiscovery

@testable import BleperaToolsCLI

extension FuzzTarget {
  /// The lines of shards, which `predict --merge` reads; an empty version is replaced with that of this build.
  static let shard = FuzzTarget("shard") { bytes in
    let lines = bytes.replacing(#""version":"""#.utf8, with: #""version":"\#(Release.version)""#.utf8)
    do throws(PredictionShard.Fault) {
      let shards = try PredictionShard.read(lines, file: "input.jsonl")
      for (shard, _) in shards {
        requireCoding(of: shard)
        let curves = [(name: shard.subject.name, counts: shard.counts)]
        let picture = DiscoverySVG(curves: curves, within: shard.subject.setting.within).text
        require(picture.hasSuffix("</svg>\n"), "a shard has a picture")
      }
      for merged in try PredictionShard.merge(shards) {
        require(merged.counts.trials == merged.trials, "a merged run has all trials")
      }
    } catch { require(!error.reason.isEmpty, "a fault has a reason") }
  }
}
