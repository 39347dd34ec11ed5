import Glibc
import TestSupport
import Testing

/// Files that programs find in a folder above, which anybody may have put there.
@Suite(.heavy, .enabled(if: geteuid() == 0, "Not run: only root gives files to other users."))
struct FoundFilesTests {
  /// The kind of file that is found.
  enum Kind: String, CaseIterable {
    case manifest = "functions.json"
    case settings = ".env"
    case state = ".runner"
    case database = ".runner/database-url"
  }

  /// Who calls; each has the owners that count.
  enum Caller: CaseIterable {
    case root, rootBySudo, person, personWhoPretends

    var owners: [uid_t] {
      switch self {
      case .root: [0]
      case .rootBySudo: [0, FoundFilesTests.person]
      case .person, .personWhoPretends: [0, FoundFilesTests.person]
      }
    }

    /// How the folder is open to others: whether anybody may write there makes no difference to a user, who is one of two.
    var modes: [mode_t] {
      switch self {
      case .root, .person: [0o755, 0o1777]
      case .rootBySudo, .personWhoPretends: [0o755]
      }
    }

    var environment: [String: String] {
      switch self {
      case .root, .person: [:]
      case .rootBySudo: ["SUDO_UID": "\(FoundFilesTests.person)"]
      case .personWhoPretends: ["SUDO_UID": "\(FoundFilesTests.other)"]
      }
    }

    /// The words that start a program as this user, which may read everything, as the programs are anywhere.
    var launcher: [String] {
      switch self {
      case .root, .rootBySudo: ["/usr/bin/env"]
      case .person, .personWhoPretends:
        [
          "/usr/bin/setpriv", "--reuid=\(FoundFilesTests.person)", "--regid=\(FoundFilesTests.person)",
          "--clear-groups", "--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--",
        ]
      }
    }
  }

  private static let person: uid_t = 4_242
  private static let other: uid_t = 4_343
  private static let variable = "PUSH_FUNCTIONS_SAFE_DIRECTORY"

  private let directory: TemporaryDirectory
  /// The folder with the files, above the one where the caller is.
  private let folder: String

  init() throws {
    directory = try TemporaryDirectory()
    folder = "\(directory.path)/above"
    try #require(chmod(directory.path, 0o755) == 0)
    for name in ["above", "above/work", "above/.runner"] { mkdir("\(directory.path)/\(name)", 0o755) }
    // Its command shows the variables that it is given.
    try directory.write(
      #"{"functions":{},"commands":{"look":{"executable":"/usr/bin/env","summary":"Shows all."}}}"#,
      to: "above/functions.json", mode: 0o644)
  }

  private func write(_ text: String, to name: String) throws {
    try directory.write(text, to: "above/\(name)", mode: 0o644)
  }

  private func give(_ name: String, to owner: uid_t) throws {
    try #require(lchown(name.isEmpty ? folder : "\(folder)/\(name)", owner, owner) == 0)
  }

  /// Runs what reads this kind of file, in the folder below.
  private func read(
    _ kind: Kind, as caller: Caller = .root, options: [String] = [], environment: [String: String] = [:]
  ) async throws -> (isUsed: Bool, outcome: BuiltExecutables.Outcome) {
    let isFunction = kind == .database
    let program = isFunction ? ["vote-cast"] : ["runner", "look"]
    let words = caller.launcher + ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, "\(folder)/work"]
    let outcome = try await BuiltExecutables.run(
      words[0], words.dropFirst() + [BuiltExecutables.path(of: program[0])] + program.dropFirst() + options,
      stdin: isFunction ? try House.text("Tests/Events/vote-cast.supabase.json") : "",
      environment: caller.environment.merging(environment) { $1 })
    // A function that believes the file does not reach that database.
    return (isFunction ? outcome.exit == 75 : outcome.exit == 0, outcome)
  }

  private func write(_ kind: Kind) throws {
    switch kind {
    case .manifest, .state: break
    case .settings: try write("MARK=believed\n", to: kind.rawValue)
    case .database: try write("postgresql://127.0.0.1:1/nobody\n", to: kind.rawValue)
    }
  }

  @Test(arguments: Kind.allCases, Caller.allCases)
  func onlyFilesOfRootAndTheCallerCount(_ kind: Kind, _ caller: Caller) async throws {
    try write(kind)
    for mode: mode_t in caller.modes {
      try #require(chmod(folder, mode) == 0)
      for name in [kind.rawValue, ""] {
        for owner in [0, Self.person, Self.other] {
          try give(name, to: owner)

          let (isUsed, outcome) = try await read(kind, as: caller)

          let said: Comment = "\(name) of \(owner) with \(mode): \(outcome.exit) \(outcome.stdout)\(outcome.stderr)"
          #expect(isUsed == caller.owners.contains(owner), said)
          if kind == .settings { #expect(outcome.stdout.contains("MARK=believed") == isUsed, said) }
          guard !isUsed else { continue }
          let text = outcome.stdout + outcome.stderr
          let place = name.isEmpty ? folder : "it"
          // With the folder of somebody else, functions.json is the first that is found.
          let file = name.isEmpty && kind != .database ? Kind.manifest.rawValue : kind.rawValue
          #expect(outcome.exit == 78, said)
          #expect(text.contains("\(folder)/\(file) is not used: \(place) belongs to user \(owner), not to you"), said)
          #expect(text.contains("set \(Self.variable)=\(folder)."), said)
        }
        try give(name, to: 0)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func aFolderThatIsNamedCounts(_ kind: Kind) async throws {
    try write(kind)
    try give(kind.rawValue, to: Self.other)
    try give("", to: Self.other)

    for (word, isSafe) in [
      (folder, true), ("/nowhere:\(folder)/", true), ("*", true), ("/nowhere:*", true), ("", false), ("/", false),
      ("\(folder)/work", false), (directory.path, false), ("\(folder)/*", false),
    ] {
      let (isUsed, outcome) = try await read(kind, environment: [Self.variable: word])
      #expect(isUsed == isSafe, "\(word): \(outcome.exit) \(outcome.stderr)")
      #expect(isSafe || outcome.exit == 78)
    }
    if kind == .database {
      // It goes where it is told to, and does not look for the file.
      let named = try await read(kind, environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/named"])
      #expect(named.isUsed)
    } else {
      #expect(try await read(kind, options: ["--project", folder]).isUsed)
    }
  }

  /// With that name nobody tells the runner which folders are safe, but somebody's file does.
  @Test func theFilesThemselvesDoNotSayThatTheyCount() async throws {
    try write("\(Self.variable)=*\n", to: ".env")
    try give(".runner", to: Self.other)

    #expect(try await read(.state).outcome.exit == 78)
  }

  @Test(arguments: [Kind.settings, .database])
  func aLinkOfSomebodyElseIsTheirFile(_ kind: Kind) async throws {
    try write(kind)
    try #require(rename("\(folder)/\(kind.rawValue)", "\(folder)/target") == 0)
    try #require(symlink("\(folder)/target", "\(folder)/\(kind.rawValue)") == 0)
    #expect(try await read(kind).isUsed)

    for (link, target) in [(Self.other, 0), (0, Self.other)] {
      try give(kind.rawValue, to: link)
      try give("target", to: target)
      #expect(try await read(kind).outcome.exit == 78, "\(link) \(target)")
    }
  }

  @Test func completionsKnowNothingOfSomebodyElse() async throws {
    let words = ["-c", #"cd "$0" && exec "$1" completions arguments lo"#, folder, BuiltExecutables.path(of: "runner")]
    #expect(try await BuiltExecutables.run("/bin/sh", words).stdout.contains("look"))
    try give(Kind.manifest.rawValue, to: Self.other)

    let outcome = try await BuiltExecutables.run("/bin/sh", words)

    #expect(outcome.exit == 0 && !outcome.stdout.contains("look"))
  }
}
