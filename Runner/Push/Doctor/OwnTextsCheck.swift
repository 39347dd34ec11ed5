import CLI
import FoundationEssentials
import FunctionKit
import Locales
import Notifications
import StoreLive

/// Lines of an app's own texts that nobody is ever told.
///
/// The runner refuses other faults itself, but does not know the texts: it asks for these at its start.
struct OwnTextsCheck {
  /// The name of the check, as of the member of `functions.json`, by which the runner knows it.
  private static let name = "languages"
  private static let mostShown = 20

  private let folder: String?

  init(_ environment: Environment) { folder = environment[Texts.variable] }

  /// The faults of the app's own texts, found before the texts are used; empty if the app has none.
  var findings: [Finding] {
    guard let folder, !folder.isEmpty else { return [] }
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return [.warning(Self.name, "\(folder) cannot be read: nobody is told the app's own texts")]
    }
    let found = files.filter { $0.hasSuffix(".strings") }.sorted().flatMap { faults(of: $0, in: folder) }
    guard !found.isEmpty else { return [.ok(Self.name, "every line of \(folder) can be told")] }
    let more = found.count - Self.mostShown
    return found.prefix(Self.mostShown).map { .missing(Self.name, $0.sentence) }
      + (more > 0 ? [.missing(Self.name, "\(more) more lines have such faults")] : [])
  }

  private func faults(of file: String, in folder: String) -> [Fault] {
    let (text, catalogue): (String, TextCatalogue)
    do {
      text = try RegularFile.text(of: "\(folder)/\(file)", limit: TextCatalogue.largestFile)
      catalogue = try TextCatalogue(text)
    } catch let fault as UnreadableText {
      let place = "\(file)\(fault.line.map { ":\($0)" } ?? "")"
      return [Fault(problem: "\(place) \(fault.problem)", loss: "nobody is told its texts")]
    } catch {
      return [Fault(problem: "\(file), \(error) Nobody is told its texts", loss: nil)]
    }
    let known = Texts.texts(in: "en").texts
    let names = known.keys.sorted()
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line -> Fault? in
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let parts = line[..<sign].split { [0x09, 0x20, UInt8(ascii: "["), UInt8(ascii: "]")].contains($0) }
      guard let name = parts.first.map({ String(Substring($0)) }), let own = catalogue.texts[name] else { return nil }
      let place = "\(file):\(index + 1)"
      guard let text = known[name] else {
        return Fault(problem: "\(place) has \(name), which is no text's name", word: name, known: names)
      }
      let facts = own.facts(in: parts.count > 1 ? String(Substring(parts[1])) : CatalogueText.other)
      guard let fact = facts.subtracting(text.facts()).min() else { return nil }
      return Fault(
        problem: "\(place) has {\(fact)}, which \(name) does not have in English", word: "{\(fact)}",
        known: text.facts().sorted().map { "{\($0)}" })
    }
  }
}

/// The fault of a line.
private struct Fault {
  let problem: String
  /// The loss because of it.
  var loss: String? = "nobody is told it"
  /// The wrong name, and those that could stand there.
  var word = ""
  var known: [String] = []

  /// The problem and the nearest name, which is looked for here, because that takes a while.
  var sentence: String {
    let near = Suggestion.phrase(for: word, among: known)
    return problem + (near.isEmpty ? "" : " (\(near.dropFirst()))") + (loss.map { ": \($0)" } ?? "")
  }
}
