import Foundation

/// The files that a new kind, app or function touches, because each that is there is in them.
///
/// A kind may be in more files, because of what only it does: the one that is in the fewest says what has to be. Every app
/// and function does something of its own: a file that names all of them has to name the next one, which also has some
/// files with its name.
struct HousePlaces {
  /// Those of a kind that an app tells by its own rows.
  let rowKind: [String]
  /// Those of a kind of LockItIn, whose words and tests are here.
  let lockItInKind: [String]
  let app: [String]
  let function: [String]

  init() throws {
    let tops = ["Functions", "Shared", "Runner"].flatMap(Self.texts)
    let roots = try ["README.md", "Package.swift", "functions.json"].map { (path: $0, text: try House.text($0)) }
    // A text that a language lacks is said in English.
    let shipped = (tops + roots).filter { file in
      file.path != Self.made && (!file.path.hasSuffix(".strings") || file.path.hasSuffix("/en.strings"))
    }.map { file -> (path: String, text: String) in
      // A kind without a title is called by the words of its name.
      file.path.hasSuffix(".strings") ? (file.path, file.text.replacing(/(?m)^.*\.name = .*$/, with: "")) : file
    }

    let content = "Shared/PushPayload/Content"
    rowKind =
      try ["RepairMinder", "Mugshot"].map { app in
        try Self.fewest(Self.kinds(of: House.text("\(content)/\(app)Push.swift")), in: shipped)
      }.max { $0.count < $1.count } ?? []
    let forms = try House.text("\(content)/LockItInPush.swift").matches(of: /PushForm\(\s*"(\w+)"/).map { String($0.1) }
    let tests = ["Tests/FunctionTests/Payloads/lockitin", "Tests/EndToEndTests/Kinds"].flatMap(Self.texts)
    lockItInKind = Self.fewest(forms.filter { $0 != "quiet_summary" }.map { [$0, $0.camelCase] }, in: shipped + tests)

    let titles = shipped.filter { $0.text.has("AppProfile(") }.compactMap {
      $0.text.firstMatch(of: /AppProfile\(\s*title: "([^"]+)"/)?.1
    }
    let apps = Self.kinds(of: try House.text("Shared/Notifications/Notices/App.swift")).map { names in
      names + titles.filter { $0.replacing(" ", with: "").lowercased() == names[1] }.map { "\n### \($0)\n" }
    }
    app = Self.places(of: apps, in: shipped) { names in
      let name = names[0].prefix(1).uppercased() + names[0].dropFirst()
      return ["\(name).swift", "\(name)Push.swift"]
    }
    let inside = ["Tests/FunctionTests", "Tests/Events"].flatMap(Self.texts)
    let functions = try House.folders("Functions").map { [$0, $0.kebabCase] }
    function = Self.places(of: functions, in: shipped + inside) { names in
      ["\(names[0])/\(names[0]).swift", "\(names[0])Tests.swift", "Events/\(names[1]).json"]
    }
  }

  /// The additions that there can be, with the files.
  var all: [(name: String, files: [String])] {
    [("kind of a row", rowKind), ("kind of LockItIn", lockItInKind), ("app", app), ("function", function)]
  }

  /// A dump of the migrations, which `make schema` writes.
  private static let made = "Shared/Schema/schema.sql"

  /// The texts of the files below a folder.
  private static func texts(_ path: String) -> [(path: String, text: String)] {
    House.files(path).map { "\(path)/\($0)" }.sorted().compactMap { file in
      (try? House.text(file)).map { (file, $0) }
    }
  }

  /// Each case of an enumeration with texts, by its name and its text.
  private static func kinds(of text: String) -> [[String]] {
    let start = text.firstRange(of: /enum \w+: String/)?.upperBound ?? text.startIndex
    return text[start...].matches(of: /(?m)^ +case (\w+)(?: = "(\w+)")?$/).map { match in
      [String(match.1), String(match.2 ?? match.1)]
    }
  }

  /// The files that name the one that is named in the fewest, which are some at least.
  private static func fewest(_ all: [[String]], in files: [(path: String, text: String)]) -> [String] {
    all.map { names in files.filter { isNamed(names, in: $0.text) }.map(\.path) }.filter { !$0.isEmpty }
      .min { $0.count < $1.count } ?? []
  }

  /// The files that name all, and those of the one that has the most of its own.
  private static func places(
    of all: [[String]], in files: [(path: String, text: String)], own: ([String]) -> [String]
  ) -> [String] {
    let common = files.filter { file in all.allSatisfy { isNamed($0, in: file.text) } }.map(\.path)
    let others = all.map { names in
      let own = own(names)
      return files.map(\.path).filter { path in
        own.contains { path.hasSuffix("/\($0)") } && !common.contains(path)
      }
    }
    return common + (others.max { $0.count < $1.count } ?? [])
  }

  private static func isNamed(_ names: [String], in text: String) -> Bool {
    names.contains { $0.hasPrefix("\n") ? text.has($0) : text.hasWord($0) }
  }
}

extension String {
  /// `vote_cast` → `voteCast`.
  fileprivate var camelCase: String {
    let words = split(separator: "_").map(String.init)
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
