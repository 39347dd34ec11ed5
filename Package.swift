// swift-tools-version: 6.2
import PackageDescription

// Every function: one folder of Functions, one executable, one entry of functions.json.
let functions: [Target] = [
  .function("Echo"),
  .function("FeedbackCreated", uses: "Notifications StoreLive"),
  .function("CommentAdded", uses: "Notifications StoreLive"),
  .function("VoteCast", uses: "Formats Notifications StoreLive"),
  .function("StatusChanged", uses: "Notifications StoreLive"),
  .function("ProposalReminder", uses: "Notifications StoreLive"),
  .function("ReleaseHeld", uses: "DeliveryLive Notifications StoreLive"),
  .function("FriendRequested", uses: "Notifications StoreLive"),
  .function("GroupInvited", uses: "Notifications StoreLive"),
  .function("ConflictDetected", uses: "Notifications StoreLive"),
  .function("EventReminder", uses: "Notifications StoreLive"),
  .function("ProposalCreated", uses: "Notifications StoreLive"),
  .function("ProposalVoteCast", uses: "Notifications StoreLive"),
  .function("ProposalUpdated", uses: "Notifications StoreLive"),
  .function("ProposalExpired", uses: "DeliveryLive StoreLive"),
  .function("EventConfirmed", uses: "Notifications StoreLive"),
  .function("NotificationCreated", uses: "Notifications PushPayload StoreLive"),
  .function("NotificationCleanup", uses: "DeliveryLive"),
  .function("UnreadCheck", uses: "DeliveryLive StoreLive"),
  .function("LiveActivities", uses: "DeliveryLive StoreLive"),
  .function("ActivityChannels", uses: "DeliveryLive Notifications Postgres PushLive StoreLive"),
  .function(
    "MailUnread", uses: "DeliveryLive Formats HTTPClient Notifications PersonLive Signing StoreLive"),
  .function("ActionCompleted", uses: "PersonLive StoreLive"),
  .function("AnalyzeForNotification", uses: "Formats Notifications PushPayload StoreLive"),
  .function("PushInteraction", uses: "Formats Notifications PersonLive"),
  .function("Actions", uses: "API Notifications PersonLive Postgres PushPayload StoreLive"),
  .function("Travel", uses: "API Formats Notifications PersonLive Postgres StoreLive"),
  .function("Devices", uses: "API Notifications PersonLive Postgres StoreLive"),
  .function("Preferences", uses: "API Notifications PersonLive Postgres StoreLive TimeZones"),
  .function("Inbox", uses: "API Notifications PersonLive Postgres StoreLive"),
  .function("Activity", uses: "API Formats Notifications PersonLive Postgres StoreLive"),
  .function("Unsubscribe", uses: "API Formats Locales Notifications PersonLive Postgres Signing StoreLive TimeZones"),
  .function("Openapi", uses: "CDocuments Notifications", excludes: ["Documents"]),
  .function("PushDelivery", uses: "DeliveryLive Formats Notifications Postgres PushLive StoreLive Tracing"),
]

// A module may use only modules above it.
let shared: [Target] = [
  .c("CLinux"),
  .stamped("CCommit"),
  .embedded("CDocuments"),
  .embedded("CSchema"),
  .embedded("CAssets"),
  .embedded("CDemo"),
  .embedded("CLanguages"),
  .loaded("CPostgres"),
  .loaded("CCurl"),
  .loaded("CICU"),
  .c("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
  .c("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
  .library("Formats"),
  .module("Platform", uses: "CLinux"),
  .module("HTTP1", uses: "CLinux Formats Platform"),
  .module("Tracing", uses: "Formats"),
  .module("Terminal"),
  .module("FunctionKit", uses: "CLinux Formats Platform Terminal Tracing"),
  .module("EventLoop", uses: "CLinux Platform"),
  .module("TimeZones", uses: "Formats"),
  .module("Locales", uses: "CICU"),
  .library("PushPayload", uses: "Formats"),
  .module(
    "Notifications", uses: "CLanguages Formats Locales PushPayload TimeZones", excludes: ["Languages"]),
  .module("Postgres", uses: "CPostgres Formats Platform"),
  .module("HTTPClient", uses: "CCurl EventLoop Platform"),
  .module("Signing", uses: "COpenSSL Formats"),
  .module("HTTP2", uses: "CNGHTTP2 COpenSSL EventLoop Formats Platform"),
  .module("StoreLive", uses: "Formats FunctionKit Locales Notifications Postgres PushPayload Tracing"),
  .module(
    "PersonLive",
    uses: "Formats FunctionKit Locales Notifications Platform Postgres PushPayload StoreLive TimeZones"),
  .module("DeliveryLive", uses: "Formats FunctionKit Notifications Postgres PushPayload StoreLive"),
  .module("API", uses: "FunctionKit HTTP1 Notifications PersonLive Postgres PushPayload StoreLive TimeZones"),
  .module("PushLive", uses: "EventLoop Formats FunctionKit HTTP2 HTTPClient Notifications PushPayload Signing"),
]

// Modules of the runner and of the emulator. Each may use shared modules, and only those above it here.
let runnerModules: [Target] = [
  .part("Documents", uses: "Formats", excludes: ["documents.schema.json"]),
  .part("CLI", uses: "Documents Formats FunctionKit Terminal"),
  .part("System", uses: "CLinux EventLoop FunctionKit Platform"),
  .part("Cron", uses: "Formats TimeZones"),
  .part("Manifest", uses: "CLI Cron FunctionKit HTTP1 Locales System TimeZones", excludes: ["functions.schema.json"]),
  .part("Capture", uses: "CSchema FunctionKit Manifest Postgres System", excludes: ["SQL"]),
  .part("Workers", uses: "CLinux EventLoop FunctionKit Manifest System Tracing"),
  .part("Traces", uses: "EventLoop Formats FunctionKit HTTP1 HTTPClient Manifest System Tracing Workers"),
  .part("Targets", uses: "EventLoop Formats FunctionKit HTTPClient Manifest Signing System Workers"),
  .part(
    "Queue", uses: "CLI Capture Cron EventLoop Formats FunctionKit Manifest Postgres System TimeZones Workers"),
  .part("Metrics", uses: "FunctionKit Manifest Postgres System Workers"),
  .part("LocalPostgres", uses: "CLinux FunctionKit Manifest Postgres System"),
  .part(
    "Gateway",
    uses: """
      EventLoop Formats FunctionKit HTTP1 HTTPClient Manifest Metrics Platform Postgres Signing System Traces
      Tracing Workers
      """),
  .part("Logging", uses: "FunctionKit System Terminal"),
  .part(
    "Lifecycle",
    uses: """
      CLinux Capture Documents EventLoop FunctionKit Gateway HTTPClient LocalPostgres Logging Manifest Metrics
      Postgres Queue System Targets Traces Workers
      """),
  .part(
    "Hosting",
    uses: """
      EventLoop Formats FunctionKit Gateway HTTP1 HTTPClient Lifecycle Logging Manifest Metrics Postgres System
      Traces Workers
      """),
  .part(
    "Inspection", uses: "CLI Capture Cron Documents FunctionKit Gateway Lifecycle Manifest Metrics Postgres Queue"),
  .part(
    "Console",
    uses: """
      CAssets CLI Cron Documents EventLoop Formats FunctionKit Gateway HTTP1 Inspection Lifecycle Manifest Metrics
      Postgres Queue Signing System TimeZones Workers
      """, excludes: ["Assets"]),
  .part("Panels", uses: "CLI Console Documents FunctionKit Locales Manifest"),
  .part("Export", uses: "Cron FunctionKit HTTP1 Manifest System"),
]

let programs: [Target] = [
  .program(
    "Runner",
    uses: """
      CCommit CLI Capture Console Cron Documents Export Formats FunctionKit Gateway Hosting Inspection Lifecycle
      LocalPostgres Logging Manifest Metrics Panels Postgres Queue System Terminal TimeZones Workers
      """),
  .program(
    "PushEmulator",
    uses: "CLI CLinux EventLoop Formats FunctionKit HTTP2 HTTPClient Platform Signing Terminal",
    excludes: ["README.md"]),
  .program(
    "Push",
    uses: """
      CLI CLinux DeliveryLive Documents Formats FunctionKit HTTPClient Locales Notifications PersonLive Postgres PushLive
      PushPayload Signing StoreLive Terminal TimeZones
      """),
  .program("Demo", uses: "CDemo CLI Formats FunctionKit HTTPClient Postgres System Terminal", excludes: ["demo.sql"]),
]

let everyFunction = functions.map(\.name).joined(separator: " ")

let tests: [Target] = [
  .support("TestSupport", uses: "CLinux Platform Postgres"),
  .support("World", uses: "FunctionKit TestSupport"),
  .tests("Formats"),
  .tests("HTTP1", uses: ""),
  .tests("Tracing"),
  .tests("FunctionKit"),
  .tests("EventLoop", uses: "CLinux"),
  .tests("TimeZones", uses: "Formats"),
  .tests("Locales", uses: ""),
  .tests("PushPayload", uses: "Formats"),
  .tests("Notifications", uses: "CLanguages Locales PushPayload TimeZones"),
  .tests("Postgres"),
  .tests("HTTPClient", uses: "EventLoop FunctionKit Signing"),
  .tests("Signing", uses: "Formats"),
  .tests("HTTP2", uses: "CNGHTTP2 COpenSSL EventLoop Platform Signing"),
  .tests("Schema", uses: "Postgres"),
  .tests("API", uses: "FunctionKit PersonLive"),
  .tests("PushLive", uses: "FunctionKit HTTP2 HTTPClient Notifications Signing"),
  .tests(
    "PushEmulator",
    uses: "CLI EventLoop Formats FunctionKit HTTP2 HTTPClient Notifications PushLive Signing Terminal"),
  .support(
    "RunnerTestSupport",
    uses: "CLinux Capture FunctionKit LocalPostgres Manifest Postgres Queue System TestSupport Workers"),
  .tests("Documents", uses: "FunctionKit"),
  .tests("CLI", uses: "FunctionKit Terminal"),
  .tests("System", uses: "FunctionKit Platform"),
  .tests("Cron", uses: "Formats TimeZones"),
  .tests("Manifest", uses: "FunctionKit"),
  .tests("Capture", uses: "FunctionKit Manifest Postgres Queue RunnerTestSupport System"),
  .tests("Workers", uses: "FunctionKit Manifest RunnerTestSupport System"),
  .tests("Traces", uses: "Tracing"),
  .tests("Targets", uses: "FunctionKit HTTPClient Manifest Signing System Workers"),
  .tests("Queue", uses: "CLI Capture FunctionKit Manifest Postgres RunnerTestSupport System Workers"),
  .tests("Metrics", uses: "Manifest"),
  .tests("Gateway", uses: "CLinux Capture FunctionKit HTTP1 Manifest Metrics Platform Postgres Signing System Workers"),
  .tests("LocalPostgres", uses: "System"),
  .tests("Logging", uses: "FunctionKit System Terminal"),
  .tests(
    "Lifecycle",
    uses: "CLinux EventLoop FunctionKit LocalPostgres Logging Manifest Postgres RunnerTestSupport System Workers"),
  .tests("Hosting", uses: "FunctionKit HTTP1 Workers"),
  .tests("Inspection", uses: "Documents Manifest Metrics"),
  .tests("Console", uses: "Documents FunctionKit Inspection Metrics Postgres System"),
  .tests("Panels", uses: "Console Documents FunctionKit"),
  .tests("Export", uses: "FunctionKit Gateway HTTP1 Manifest"),
  .tests("Runner", uses: "CLI FunctionKit Lifecycle LocalPostgres Manifest Postgres RunnerTestSupport System"),
  .tests("Push", uses: "Documents EventLoop Formats FunctionKit HTTP2 Notifications Postgres Signing"),
  .tests("Demo", uses: "FunctionKit Postgres Terminal"),
  .tests("Chaos", uses: "Capture FunctionKit Manifest Postgres"),
  .tests(
    "Function",
    uses: """
      \(everyFunction)
      API DeliveryLive EventLoop Formats FunctionKit HTTP1 HTTP2 Locales Notifications PersonLive Postgres PushLive
      PushPayload Signing StoreLive World
      """),
  .tests(
    "EndToEnd",
    uses: """
      CommentAdded FeedbackCreated NotificationCreated ProposalVoteCast StatusChanged VoteCast
      FunctionKit HTTP1 HTTPClient Notifications Postgres Signing StoreLive World
      """),
]

// Asks whether release builds have the compiler's fault that `house` keeps out.
let probe = Target.tool("ExecutorProbe")

// Programs that measure and that kill, which are no products.
let tools: [Target] = [
  .tool(
    "Benchmarks",
    uses: "CLI EventLoop FunctionKit HTTPClient Notifications Postgres PushLive Signing Terminal TestSupport",
    excludes: ["run"]),
  .embedded("CChaos"),
  .tool(
    "Chaos", uses: "CChaos CLI FunctionKit HTTPClient Postgres TestSupport",
    excludes: ["people.sql", "recount.sql", "tables.sql", "run"]),
]

// What the scripts build: `programs` leaves out what only tests and measurements need, `tests` is for the tests alone.
func builds(_ part: String) -> Bool { Context.environment["PUSH_FUNCTIONS_BUILD"] == part }

let package = Package(
  name: "push-functions",
  products: [.library(name: "PushPayload", targets: ["PushPayload"])]
    + (functions + programs).map { .executable(name: $0.name.kebabCase, targets: [$0.name]) },
  targets: functions + shared + runnerModules + programs + [probe] + (builds("programs") ? [] : tests + tools)
)

extension Target {
  static func function(_ name: String, uses modules: String = "", excludes files: [String] = []) -> Target {
    .executableTarget(
      name: name, dependencies: named("FunctionKit \(modules)"), path: "Functions/\(name)", exclude: files,
      swiftSettings: .house, linkerSettings: modules.isEmpty ? .withoutLoader : .atFixedAddress)
  }

  static func module(_ name: String, uses modules: String = "", excludes files: [String] = []) -> Target {
    part(name, in: "Shared", uses: modules, excludes: files)
  }

  /// A module that apps build with a package of theirs: SwiftPM takes no unsafe flags there, so it has nothing `async`.
  static func library(_ name: String, uses modules: String = "") -> Target {
    .target(name: name, dependencies: named(modules), path: "Shared/\(name)", swiftSettings: .library)
  }

  static func c(_ name: String, pkgConfig: String? = nil, apt package: String? = nil) -> Target {
    .systemLibrary(name: name, path: "Shared/C/\(name)", pkgConfig: pkgConfig, providers: package.map { [.apt([$0])] })
  }

  /// A C library that is loaded when it is first called, see its `.c` file.
  static func loaded(_ name: String) -> Target {
    .target(name: name, path: "Shared/C/\(name)", linkerSettings: [.linkedLibrary("dl")])
  }

  /// Holds the texts of files, which stand with those who read them.
  ///
  /// C takes them in as they are; the compiler of Swift would take a second for each ten lines.
  static func embedded(_ name: String) -> Target { .target(name: name, path: "Shared/C/\(name)") }

  /// Holds the commit that `Runner/install` builds; nothing where another build was asked for.
  static func stamped(_ name: String) -> Target {
    let commit = "\"\(Context.environment["PUSH_FUNCTIONS_COMMIT"] ?? "")\""
    return .target(name: name, path: "Shared/C/\(name)", cSettings: [.define("BUNDLE_COMMIT", to: commit)])
  }

  static func part(
    _ name: String, in place: String = "Runner", uses modules: String, excludes files: [String] = []
  ) -> Target {
    .target(
      name: name, dependencies: named(modules), path: "\(place)/\(name)", exclude: files, swiftSettings: .house)
  }

  static func program(_ name: String, uses modules: String, excludes files: [String] = []) -> Target {
    .executableTarget(
      name: name, dependencies: named(modules), path: "Runner/\(name)", exclude: files, swiftSettings: .house,
      linkerSettings: .atFixedAddress)
  }

  /// A program beside the tests; `run` in its folder builds and starts it.
  static func tool(_ name: String, uses modules: String = "", excludes files: [String] = []) -> Target {
    .executableTarget(
      name: name, dependencies: named(modules), path: "Tests/\(name)", exclude: files, swiftSettings: .house,
      linkerSettings: .house)
  }

  static func support(_ name: String, uses modules: String) -> Target { part(name, in: "Tests", uses: modules) }

  /// The tests of what `name` names, with what the tests use besides.
  static func tests(_ name: String, uses modules: String = "") -> Target {
    let tested = ["Function", "EndToEnd", "Schema"].contains(name) ? "" : name
    return .testTarget(
      name: "\(name)Tests", dependencies: named("\(tested) \(modules) TestSupport"), path: "Tests/\(name)Tests",
      exclude: [
        "Capture": ["Databases"], "EndToEnd": ["Browser/requirements.txt"], "Export": ["Schemas"],
        "Function": ["Databases", "Payloads"],
      ][name] ?? [],
      swiftSettings: .house + .unoptimised, linkerSettings: .house)
  }

  private static func named(_ names: String) -> [Dependency] {
    names.split(whereSeparator: \.isWhitespace).map { .init(stringLiteral: String($0)) }
  }
}

extension [SwiftSetting] {
  /// Tests are compiled as fast as can be, also where what they test is optimised.
  static let unoptimised: Self = [
    .unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"], .when(configuration: .release))
  ]

  /// Leaves redundant hops between executors in, and a needed one that Swift 6.3.0 and 6.3.1 take for redundant.
  ///
  /// Without it errors are caught off their caller's executor, a data race (swiftlang/swift#88259); see `ExecutorProbe`.
  static let house: Self = library + tested + [.unsafeFlags(["-Xllvm", "-sil-disable-pass=optimize-hop-to-executor"])]

  /// What is shipped is what the tests call: they see internal names, which costs the runner a twentieth of its size.
  static let tested: Self = [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]

  static let library: Self = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}

extension [LinkerSetting] {
  /// The linker that comes with Swift takes less than half the time of the system's.
  static let house: Self = [.unsafeFlags(["-use-ld=lld"])]

  /// For programs of Swift alone: nothing is left to load at the start, which takes a half to a third of the time.
  ///
  /// Functions with the same code are one: 120 kB less.
  static let withoutLoader = programs("-static-executable", "-Xlinker", "--icf=safe")

  /// Saves the start from adjusting a hundred thousand addresses, and from loading Swift's libraries and C++'s.
  ///
  /// No library asks a program for its symbols: 380 kB less.
  static let atFixedAddress = programs(
    "-static-stdlib", "-Xclang-linker", "-no-pie", "-Xlinker", "--no-export-dynamic",
    "-Xclang-linker", "-static-libgcc", "-L", "\(Context.packageDirectory)/Shared/C/Static")

  /// Tests are linked with the flags of the programs that they test, and could not be linked with these.
  ///
  /// The modules are compiled for both alike, once. So they do not name what a static FoundationEssentials needs.
  private static func programs(_ flags: String...) -> Self {
    let libraries = ["-l_FoundationCShims", "-l_FoundationCollections"]
    return builds("tests") ? house : house + [.unsafeFlags(flags + libraries, .when(configuration: .release))]
  }
}

extension String {
  /// `FeedbackCreated` → `feedback-created`.
  var kebabCase: String {
    reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? "-\($1.lowercased())" : $1.lowercased() }
  }
}
