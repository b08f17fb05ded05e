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
        let names = PredictionNames.names(of: [shard.subject])
        let curves = [(name: names[0], counts: shard.counts)]
        let picture = DiscoverySVG(curves: curves, within: shard.subject.setting.within).text
        require(picture.hasSuffix("</svg>\n"), "a shard has a picture")
      }
      let settings = try PredictionShard.merge(shards)
      for merged in settings { require(merged.counts.trials == merged.trials, "a merged run has all trials") }
      require(PredictionNames.names(of: settings.map(\.subject)).count == settings.count, "a setting has a name")
    } catch { require(!error.reason.isEmpty, "a fault has a reason") }
  }
}
