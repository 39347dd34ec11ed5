import CLI
import FoundationEssentials
import FunctionKit
import Locales
import Notifications
import StoreLive

/// Lines of an app's own texts that nobody is ever told: the runner, which refuses others, does not know the texts.
struct OwnTextsCheck {
  private static let mostShown = 20

  private let folder: String?

  init(_ environment: Environment) { folder = environment[Texts.variable] }

  /// Before an app's own texts are added.
  var findings: [Finding] {
    guard let folder, !folder.isEmpty else { return [] }
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return [.warning("texts", "\(folder) cannot be read: nobody is told the app's own texts")]
    }
    let problems = files.filter { $0.hasSuffix(".strings") }.sorted().flatMap { faults(of: $0, in: folder) }
    let more = problems.count - Self.mostShown
    return problems.prefix(Self.mostShown).map { .warning("texts", $0) }
      + (more > 0 ? [.warning("texts", "\(more) more lines have such faults")] : [])
  }

  private func faults(of file: String, in folder: String) -> [String] {
    let (text, catalogue): (String, TextCatalogue)
    do {
      text = try RegularFile.text(of: "\(folder)/\(file)", limit: TextCatalogue.largestFile)
      catalogue = try TextCatalogue(text)
    } catch let fault as UnreadableText {
      return ["\(file)\(fault.line.map { ":\($0)" } ?? "") \(fault.problem): nobody is told its texts"]
    } catch {
      return ["\(file), \(error) Nobody is told its texts"]
    }
    let known = Texts.texts(in: "en").texts
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line -> String? in
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let parts = line[..<sign].split { [0x09, 0x20, UInt8(ascii: "["), UInt8(ascii: "]")].contains($0) }
      guard let name = parts.first.map({ String(Substring($0)) }), let own = catalogue.texts[name] else { return nil }
      let place = "\(file):\(index + 1)"
      guard let text = known[name] else { return "\(place) has \(name), which is no text's name: nobody is told it" }
      let facts = own.facts(in: parts.count > 1 ? String(Substring(parts[1])) : CatalogueText.other)
      guard let fact = facts.subtracting(text.facts()).min() else { return nil }
      return "\(place) has {\(fact)}, which \(name) does not have in English: nobody is told it"
    }
  }
}
