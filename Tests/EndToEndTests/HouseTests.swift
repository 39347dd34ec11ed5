import FunctionKit
import TestSupport
import Testing

/// The order of the repository: files that have to agree, and the directions of imports.
struct HouseTests {
  @Test func foldersManifestAndPackageNameTheSameFunctions() throws {
    let folders = try House.folders("Functions").map(\.kebabCase)
    let targets = try House.declarations("function").map(\.name.kebabCase)
    let manifest = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])
    let entries = (manifest["functions"]?.members ?? []).map(\.name)

    #expect(Set(folders) == Set(targets))
    #expect(Set(folders) == Set(entries))
    #expect(Set(entries).count == entries.count)
  }

  @Test func everyFunctionIsBuiltAndHelps() async throws {
    for name in try House.folders("Functions").map(\.kebabCase) {
      let outcome = try await BuiltExecutables.run(name, ["--help"])
      #expect(outcome.exit == 0, "\(name)")
      #expect(outcome.stdout.contains("usage: \(name) "), "\(name)")
    }
  }

  /// Tests make the function in this process, or run its executable.
  @Test func everyFunctionHasATest() throws {
    let texts = try ["Tests/FunctionTests", "Tests/EndToEndTests"].flatMap(House.swiftFiles).map(House.text)
    let tests = texts.filter { $0.contains("@Test") }

    for name in try House.folders("Functions") {
      let making = try Regex(#"\b\#(name)(\.live)?\("#)
      let running = try Regex(#"\.(run|call|invoke)\(\s*"\#(name.kebabCase)""#)
      let isMade = tests.contains { $0.contains("import \(name)\n") } && texts.contains { $0.contains(making) }
      #expect(isMade || tests.contains { $0.contains(running) }, "\(name)")
    }
  }

  @Test func aTargetUsesWhatItImportsAndNothingElse() throws {
    let kinds = ["c", "loaded", "stamped", "library", "module", "part"]
    let modules = try Set(kinds.flatMap(House.declarations).map(\.name))
    let folders = [
      "library": "Shared", "module": "Shared", "part": "Runner", "program": "Runner", "function": "Functions",
    ]

    for (kind, folder) in folders {
      for target in try House.declarations(kind) {
        let imports = try House.imports("\(folder)/\(target.name)").intersection(modules)
        #expect(imports == Set(target.uses + (kind == "function" ? ["FunctionKit"] : [])), "\(target.name)")
      }
    }
  }

  @Test func testsUseWhatTheyImportAndNothingElse() throws {
    let kinds = ["library", "module", "part", "program", "support"]
    let modules = try Set(kinds.flatMap(House.declarations).map(\.name))

    for kind in ["tests", "support", "tool"] {
      for target in try House.declarations(kind) {
        let isOfTests = kind == "tests"
        let folder = isOfTests ? "\(target.name)Tests" : target.name
        // A test of a module need not name it, and every test may have help.
        let given: Set = isOfTests ? [target.name, "TestSupport"] : []
        let imports = try House.imports("Tests/\(folder)").intersection(modules)
        #expect(imports.subtracting(given) == Set(target.uses).intersection(modules).subtracting(given), "\(folder)")
      }
    }
  }

  @Test(arguments: [
    "import Postgres", "@testable import Postgres", "package import Postgres", "@_exported package import Postgres",
    "  @preconcurrency import struct Postgres.Row", "fileprivate import Postgres // SQL",
    "@_spi(Tests) @testable import Postgres",
  ])
  func noWayToImportIsOverlooked(_ line: String) {
    #expect(House.imports(in: "// import Signing\n\(line)\nlet text = \"import Signing\"\n") == ["Postgres"])
  }

  @Test func modulesUseOnlyWhatStandsAboveThem() throws {
    let modules = try ["c", "loaded", "library", "module", "part"].flatMap { try House.declarations($0) }
    let order = Dictionary(uniqueKeysWithValues: modules.enumerated().map { ($0.element.name, $0.offset) })

    #expect(modules.count > 15)
    for module in modules {
      for used in module.uses {
        #expect((order[used] ?? .max) < (order[module.name] ?? 0), "\(module.name) uses \(used)")
      }
    }
  }

  @Test(arguments: [
    ("CPostgres", ["Shared/Postgres"]), ("CCurl", ["Shared/HTTPClient"]), ("CNGHTTP2", ["Shared/HTTP2"]),
    ("COpenSSL", ["Shared/HTTP2", "Shared/Signing"]),
  ])
  func aCLibraryHasOneSwiftOwner(_ library: String, _ owners: [String]) throws {
    let folders = try ["Shared", "Runner", "Functions"].flatMap { top in
      try House.folders(top).map { "\(top)/\($0)" }
    }

    let users = try folders.filter { try House.imports($0).contains(library) }

    #expect(users.sorted() == owners)
  }

  @Test func theDomainDoesNoInputOrOutput() throws {
    // An iOS app imports PushPayload, and has Foundation only.
    #expect(try House.imports("Shared/PushPayload").isSubset(of: ["Foundation", "FoundationEssentials"]))
    #expect(
      try House.imports("Shared/Notifications").isSubset(of: ["FoundationEssentials", "PushPayload", "TimeZones"]))
  }

  /// See `house` in `Package.swift`, and `ReleaseBuildTests`.
  @Test func whateverIsAsyncIsCompiledWithoutTheCompilersFault() throws {
    let package = try House.text("Package.swift")
    let house = package.firstMatch(of: /let house: Self = library \+ (.+)/)?.1
    let settings = package.matches(of: /swiftSettings: \.(\w+)/).map(\.1)
    let targets = package.matches(of: /\.(?:target|executableTarget|testTarget)\(/)

    #expect(house == #"[.unsafeFlags(["-Xllvm", "-sil-disable-pass=optimize-hop-to-executor"])]"#)
    #expect(Set(settings) == ["house", "library"])
    #expect(settings.count { $0 == "library" } == 1)
    // Two of them are C.
    #expect(targets.count == settings.count + 2)
  }

  /// An app could not import it otherwise: SwiftPM refuses packages whose products have unsafe flags.
  @Test func whatAppsImportHasNoUnsafeFlags() throws {
    let package = try House.text("Package.swift")
    let products = package.matches(of: /\.library\(name: "(\w+)", targets: \["(\w+)"\]\)/).map { String($0.2) }
    let libraries = try House.declarations("library")

    #expect(products == ["PushPayload"])
    #expect(libraries.map(\.name) == products)
    for library in libraries {
      #expect(library.uses.isEmpty)
      for file in House.swiftFiles("Shared/\(library.name)") {
        #expect(!(try House.text(file).contains(/\b(async|await|actor)\b/)), "\(file)")
      }
    }
  }

  @Test func theRunnerKnowsNothingOfNotifications() throws {
    let domain = try House.domain
    let (parts, programs) = try (House.declarations("part"), House.declarations("program"))

    #expect(
      domain.isSuperset(of: [
        "API", "AnalysisLive", "DeliveryLive", "PersonLive", "PushLive", "StoreLive", "Push", "VoteCast",
      ]))
    #expect(domain.isDisjoint(with: parts.map(\.name)))
    // What people ask about pushes is a program of the bundle's own.
    #expect(domain.intersection(programs.map(\.name)) == ["Push"])
  }

  @Test func driversKnowNoDomainWord() throws {
    let domain = try House.domain.union(["FunctionKit"])

    for driver in ["EventLoop", "HTTP1", "HTTP2", "HTTPClient", "Postgres", "Signing", "Terminal", "TimeZones"] {
      #expect(try House.linked([driver]).isDisjoint(with: domain), "\(driver)")
    }
  }

  /// Else its failure would be nobody's: a task is kept or waited for, hops to the loop, or is a `BackgroundTask`.
  @Test func noTaskOfTheRunnerIsLeftAlone() throws {
    let parts = try House.declarations("part").map(\.name) + ["Runner"]
    for file in parts.flatMap({ House.swiftFiles("Runner/\($0)") }) where !file.hasSuffix("/BackgroundTask.swift") {
      for line in try House.text(file).split(separator: "\n")
      where line.contains(/\bTask(\.detached|\.immediate)? *[({]/) {
        #expect(line.contains(/=.*\bTask|Task \{ @RunnerLoop in [^;{}]+ \}/), "\(file): \(line)")
      }
    }
  }

  /// Else a program that is started meanwhile keeps it open: nobody sees that a pipe or a connection has ended.
  @Test func whatIsOpenedIsClosedOnExec() throws {
    let opened = /\bpipe\(&|\baccept\(\w+, nil|\bO_(RDONLY|WRONLY|RDWR)\b|\bSOCK_(STREAM|DGRAM)\b/
    for top in ["Functions", "Shared", "Runner", "Tests"] {
      for file in House.swiftFiles(top) {
        for line in try House.text(file).split(separator: "\n") where line.contains(opened) {
          // A child opens its own streams, and one test leaves a descriptor open on purpose.
          let safe = ["CLOEXEC", "_addopen(", "let forgotten = open(", "let opened = /"]
          #expect(safe.contains { line.contains($0) }, "\(file): \(line)")
        }
      }
    }
  }

  /// A process that has done its work could crash at its end.
  ///
  /// The clean-up of libraries, which `exit` runs, takes from other threads what they still use. Everything is written
  /// before, and nothing waits in a buffer.
  @Test func processesEndWithoutTheCleanUpOfLibraries() throws {
    let ended = /(?:^|[^._a-zA-Z])(?:Glibc\.)?exit\(/
    for top in ["Functions", "Shared", "Runner"] {
      for file in House.swiftFiles(top) { #expect(!(try House.text(file).contains(ended)), "\(file)") }
    }
  }

  @Test func functionsLinkNoMoreThanTheyNeed() throws {
    for function in try House.declarations("function") where function.name != "PushDelivery" {
      let linked = try House.linked(function.uses)
      #expect(linked.isDisjoint(with: ["PushLive", "HTTP2", "HTTPClient", "EventLoop"]), "\(function.name)")
      // The links that it answers are signed.
      #expect(function.name == "Unsubscribe" || !linked.contains("Signing"), "\(function.name)")
    }
  }

  @Test func nothingThatShipsImportsAllOfFoundation() throws {
    for top in ["Functions", "Shared", "Runner"] {
      for file in House.swiftFiles(top) {
        let text = try House.text(file)
        let lines = text.contains("canImport(FoundationEssentials)") ? [] : text.split(separator: "\n")
        #expect(!lines.contains { $0.hasSuffix("import Foundation") }, "\(file)")
      }
    }
  }

  /// The folders of one module have a direction, too: none is used by what it uses.
  @Test func theHouseIsSmallAndOpen() throws {
    let figures = try HouseFigures()
    print(figures.text)

    for module in figures.modules { #expect(module.circle == [], "\(module.path)") }
    #expect(figures.modules.allSatisfy { $0.lines <= 4_000 })
    #expect(figures.median < 80)
    #expect((1...3).contains(figures.places.rowKind.count))
    #expect((1...5).contains(figures.places.lockItInKind.count))
    #expect((1...8).contains(figures.places.app.count))
    #expect((1...6).contains(figures.places.function.count))
  }

  /// By a type, a member of an extension, and a member that is static.
  @Test func aFolderIsSeenToUseAnother() throws {
    let runner = try FolderArrows(of: "Runner/Push")
    let store = try FolderArrows(of: "Shared/StoreLive")

    #expect(runner.arrows["."]?["Token"] != nil)
    #expect(store.arrows["Badges"]?["Notifying"]?.isSuperset(of: ["EventContext", "isSwitchedOff", "isFree"]) == true)
    #expect(store.circle == [])
  }

  @Test func filesStaySmall() throws {
    for top in ["Functions", "Shared", "Runner", "Tests"] {
      for file in House.swiftFiles(top) {
        #expect(try House.lines(file) <= 300, "\(file)")
      }
    }
  }
}
