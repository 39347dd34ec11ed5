import Testing

/// The limits of a file, a class, a folder and a module.
///
/// `CONTRIBUTING.md` has a sentence for each.
struct RoomTests {
  @Test func noFileIsTooLongToRead() throws {
    for file in ["Functions", "Shared", "Runner", "Tests"].flatMap(House.swiftFiles) {
      #expect(try House.lines(file) <= 500, "\(file)")
    }
  }

  /// An extension in another file needs none of its variables: no other file changes them.
  @Test func aClassStandsInOneFile() throws {
    let figures = try HouseFigures.all.get()
    let classes = (figures.modules + figures.functions).flatMap { $0.kinds.values.filter(\.isClass) }

    #expect(classes.count > 80)
    for kind in classes where kind.files.count > 1 {
      #expect(kind.hiddenState == kind.state, "\(kind.name), which begins in \(kind.source.path)")
    }
  }

  /// A module that shows more is a tool or a vocabulary, and has users enough.
  @Test func aModuleShowsAFifthOfItsNames() throws {
    let figures = try HouseFigures.all.get()

    for module in figures.modules where figures.users(of: module) < 3 {
      #expect(module.shown <= (figures.users(of: module) == 2 ? 0.3 : 0.2), "\(module.path)")
    }
  }

  /// None is used by what it uses.
  @Test func theFoldersOfAModuleHaveOneDirection() throws {
    for (module, circle) in try HouseFigures.all.get().circles { #expect(circle == [], "\(module)") }
  }

  /// By a type, a member of an extension, and a member that is static.
  @Test func aFolderIsSeenToUseAnother() throws {
    let runner = try FolderArrows(of: "Runner/Push")
    let store = try FolderArrows(of: "Shared/StoreLive")

    #expect(runner.arrows["."]?["Token"] != nil)
    #expect(store.arrows["Badges"]?["Notifying"]?.isSuperset(of: ["EventContext", "isSwitchedOff", "isFree"]) == true)
    #expect(store.circle == [])
  }

  @Test func everyModuleIsInOneOfTheFourParts() throws {
    let parts = try HouseFigures.all.get().parts

    #expect(parts.map(\.name) == House.parts.map(\.name), "\(parts.last?.modules.map(\.path) ?? [])")
    #expect(Set(House.parts.flatMap(\.modules)).count == House.parts.map(\.modules.count).reduce(0, +))
  }

  /// The modules of others that it may use are used, too.
  @Test func aPartKeepsToItsBorders() throws {
    let figures = try HouseFigures.all.get()
    let drivers = House.parts.filter { $0.name == "drivers" }.flatMap(\.modules)

    #expect(drivers.count > 5)
    for (part, border) in zip(figures.parts, House.parts) {
      let used = part.modules.reduce(into: Set<String>()) { $0.formUnion(figures.uses[$1.name] ?? []) }
      #expect(used.subtracting(drivers).subtracting(part.modules.map(\.name)) == border.others, "\(part.name)")
    }
  }

  /// Comments may say whom something is for.
  @Test func driversKnowNoDomainWord() throws {
    let words = [
      "apns", "audience", "badge", "delivery", "device", "fcm", "feedback", "lockitin", "messageai", "mugshot",
      "proposal", "recipient", "repairminder", "vote",
    ]
    let drivers = House.parts.filter { $0.name == "drivers" }.flatMap(\.modules)
    let files = drivers.flatMap { House.swiftFiles("Shared/\($0)") }

    #expect(files.count > 80)
    for file in files {
      let text = try House.text(file).lowercased()
      for line in words.flatMap({ text.lines(with: $0) }) {
        let code = line.replacing(/\/\/.*/, with: "")
        #expect(words.filter(code.has) == [], "\(file)")
      }
    }
  }

  @Test func whatAFileDeclaresIsRead() {
    let source = Source(
      "Loop.swift",
      text: #"""
        /// A loop. { func comment() {
        @RunnerLoop package final class Loop: Sendable {
          package private(set) var turns = 0
          private var last: Int? { didSet { turns += 1 } }
          var next: Int = 1 {
            didSet { last = next }
          }
          let text = """
              func string() {
            """
          package var isIdle: Bool { turns == 0 }
          package enum State: Equatable {
            case open, closed(Int, Int)
            case failed(
              String)
          }

          @inline(__always) package func run(
            times: Int
          ) async throws -> Int {
            let (first, second) = (1, "// }")
            return first
          }
          static func == (left: Loop, right: Loop) -> Bool { true }
          init() {}
        }

        extension Loop.State {
          func end()
            -> Int
          {
            0
          }
        }

        """#)
    let symbols = source.symbols.map { "\($0.keyword) \($0.names.joined(separator: " ")) \($0.count)" }

    #expect(
      symbols == [
        "class Loop 25", "var turns 1", "var last 1", "var next 3", "let text 1", "var isIdle 1", "enum State 5",
        "case open closed 1", "case failed 2", "func run 6", "func == 1", "init  1", "extension Loop.State 7",
        "func end 5",
      ])
    #expect(source.symbols.filter(\.isState).flatMap(\.names) == ["turns", "last", "next"])
    #expect(source.symbols.filter(\.isHidden).flatMap(\.names) == ["turns", "last"])
    #expect(source.symbols.filter(\.isOpen).flatMap(\.names) == ["Loop", "turns", "isIdle", "State", "run"])
    #expect(source.locals == ["first", "second"])
    #expect(source.name(of: source.symbols[6]) == "Loop.State")
  }
}
