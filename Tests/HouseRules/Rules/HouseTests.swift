import Foundation
import Testing

/// The order of the repository: files that have to agree, and the directions of imports.
struct HouseTests {
  @Test func foldersManifestAndPackageNameTheSameFunctions() throws {
    let folders = try Set(House.folders("Functions").map(\.kebabCase))
    let targets = try House.declarations("function").map(\.name.kebabCase)
    let entries = try House.manifest.functions.keys

    #expect(folders.symmetricDifference(targets) == [])
    #expect(folders.symmetricDifference(entries) == [])
  }

  /// Tests make the function in this process, or run its executable.
  @Test func everyFunctionHasATest() throws {
    let texts = try ["Tests/FunctionTests", "Tests/EndToEndTests"].flatMap(House.swiftFiles).map(House.text)
    let tests = texts.filter { $0.has("@Test") }

    for name in try House.folders("Functions") {
      let isMade = texts.contains { $0.hasWord("\(name)(") || $0.hasWord("\(name).live(") }
      let running = try Regex(#"\.(run|call|invoke)\(\s*"\#(name.kebabCase)""#)
      #expect(
        (isMade && tests.contains { $0.has("import \(name)\n") })
          || tests.contains { $0.has("\"\(name.kebabCase)\"") && $0.contains(running) }, "\(name)")
    }
  }

  @Test func everySampleOfTheManifestIsThere() throws {
    let samples = try House.manifest.functions.values.compactMap(\.sample)

    #expect(samples.count > 15)
    #expect(Set(samples).isSubset(of: House.files("Tests/Events").map { "Tests/Events/\($0)" }))
  }

  @Test func aTargetUsesWhatItImportsAndNothingElse() throws {
    let modules = try Set(House.declarations(House.kindsOfC + ["library", "module", "part"]).map(\.name))
    let folders = [
      "library": "Shared", "module": "Shared", "part": "Runner", "program": "Runner", "function": "Functions",
    ]

    for target in try House.declarations(Array(folders.keys)) {
      let imports = try House.imports("\(folders[target.kind, default: ""])/\(target.name)").intersection(modules)
      let given = target.kind == "function" ? ["FunctionKit"] : []
      #expect(imports == Set(target.uses + given), "\(target.name)")
    }
  }

  @Test func testsUseWhatTheyImportAndNothingElse() throws {
    let modules = try Set(House.declarations("library", "module", "part", "program", "support").map(\.name))

    for target in try House.declarations("tests", "support", "tool") {
      let isOfTests = target.kind == "tests"
      let folder = isOfTests ? "\(target.name)Tests" : target.name
      // A test of a module need not name it, and every test may have help.
      let given: Set = isOfTests ? [target.name, "TestSupport"] : []
      let imports = try House.imports("Tests/\(folder)").intersection(modules)
      #expect(imports.subtracting(given) == Set(target.uses).intersection(modules).subtracting(given), "\(folder)")
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
    let modules = try House.declarations(House.kindsOfC + ["library", "module", "part"])
    let order = Dictionary(uniqueKeysWithValues: modules.enumerated().map { ($0.element.name, $0.offset) })

    #expect(modules.count > 15)
    for module in modules {
      for used in module.uses {
        #expect((order[used] ?? .max) < (order[module.name] ?? 0), "\(module.name) uses \(used)")
      }
    }
  }

  @Test func aCLibraryHasOneSwiftOwner() throws {
    let owners = [
      "CPostgres": ["Shared/Postgres"], "CCurl": ["Shared/HTTPClient"], "CNGHTTP2": ["Shared/HTTP2"],
      "CICU": ["Shared/Locales"],
      "COpenSSL": ["Shared/HTTP2", "Shared/Signing"],
    ]
    var users: [String: [String]] = [:]
    for top in ["Functions", "Runner", "Shared"] {
      for folder in try House.folders(top).map({ "\(top)/\($0)" }) {
        for module in try House.imports(folder) { users[module, default: []].append(folder) }
      }
    }

    for (library, owners) in owners { #expect(users[library] == owners, "\(library)") }
  }

  @Test func theDomainDoesNoInputOrOutput() throws {
    // An iOS app builds PushPayload with Formats, and has Foundation only.
    let foundation: Set = ["Foundation", "FoundationEssentials"]
    #expect(try House.imports("Shared/Formats").isSubset(of: foundation))
    #expect(try House.imports("Shared/PushPayload").isSubset(of: foundation.union(["Formats"])))
    #expect(
      try House.imports("Shared/Notifications").isSubset(
        of: [
          "CLanguages", "Formats", "FoundationEssentials", "Locales", "PushPayload", "Synchronization", "TimeZones",
        ]))
  }

  /// See `house` in `Package.swift`, and `ReleaseBuildTests`.
  @Test func whateverIsAsyncIsCompiledWithoutTheCompilersFault() throws {
    let package = try House.text("Package.swift")
    let house = package.firstMatch(of: /let house: Self = library \+ tested \+ (.+)/)?.1
    let targets = [".target", ".executableTarget", ".testTarget"].flatMap(package.parentheses)

    #expect(house == #"[.unsafeFlags(["-Xllvm", "-sil-disable-pass=optimize-hop-to-executor"])]"#)
    #expect(targets.count > 5)
    for target in targets {
      let isOfC = target.has("path: \"Shared/C/") || target.has("publicHeadersPath:")
      let isSwift = target.has("swiftSettings: .house") || target.has("swiftSettings: .library")
      #expect(isSwift != isOfC, "\(target.split(whereSeparator: \.isWhitespace).joined(separator: " "))")
    }
    #expect(targets.count { $0.has("swiftSettings: .library") } == 1)
  }

  /// An app could not import it otherwise: SwiftPM refuses packages whose products have unsafe flags.
  @Test func whatAppsImportHasNoUnsafeFlags() throws {
    let package = try House.text("Package.swift")
    let products = package.matches(of: /\.library\(name: "(\w+)", targets: \["(\w+)"\]\)/).map { String($0.2) }
    let libraries = try House.declarations("library")

    #expect(products == ["PushPayload"])
    #expect(try Set(libraries.map(\.name)) == House.linked(products))
    for library in libraries {
      for file in House.swiftFiles("Shared/\(library.name)") {
        #expect(!(try House.text(file).contains(/\b(async|await|actor)\b/)), "\(file)")
      }
    }
  }

  @Test func functionsLinkNoMoreThanTheyNeed() throws {
    let senders = ["ActivityChannels", "PushDelivery", "MailUnread"]
    for function in try House.declarations("function") where !senders.contains(function.name) {
      let linked = try House.linked(["FunctionKit"] + function.uses)
      #expect(linked.isDisjoint(with: ["PushLive", "HTTP2", "HTTPClient", "EventLoop"]), "\(function.name)")
      // Only the API matches paths.
      #expect(linked.contains("API") || !linked.contains("HTTP1"), "\(function.name)")
      // The links that it answers are signed.
      #expect(function.name == "Unsubscribe" || !linked.contains("Signing"), "\(function.name)")
    }
  }

  @Test func whatIsNewHasFewPlaces() throws {
    let places = try HousePlaces()

    #expect((1...3).contains(places.rowKind.count))
    #expect((1...7).contains(places.lockItInKind.count))
    #expect((1...8).contains(places.app.count))
    #expect((1...6).contains(places.function.count))
  }
}
