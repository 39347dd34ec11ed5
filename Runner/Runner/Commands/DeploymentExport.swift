import CLI
import Export
import FunctionKit
import Inspection
import Manifest

/// `runner export ENGINE`: the files by which the bundle runs somewhere else.
struct DeploymentExport {
  private static let out = Option.text("--out", "DIR|-", "where the files go, - to print them (deploy/ENGINE)")
  private static let name = Option.text(
    "--name", "NAME", "what units and services are called (the bundle's name, or push-functions)")
  private static let image = Option.text("--image", "REF", "the image of export docker (NAME:latest)")
  private static let diff = Flag(
    "--diff", "write nothing; show what would change as a unified diff. exit: 0 nothing, 1 something")
  private static let force = Flag("--force", "replace files that are not as an export has written them")
  private static let beside = Option.text(
    "--beside", "URL",
    "of nginx: the app's own server, which gets everything that the runner does not answer, such as "
      + "http://127.0.0.1:8080")
  private static let hostNames = Option.text(
    "--host-name", "NAME,NAME",
    "of kubernetes: the names by which clients call from outside, such as push.example.com; the runners take them, and "
      + "the Ingress and the HTTPRoute are for them")
  private static let dev = Flag(
    "--dev",
    "of compose: everything in containers beside the sources, for machines that are no Linux (.devcontainer)")

  private static let event = Operand(
    "ID",
    "the event as its function got it; runner invoke takes it. The values of members that functions.json redacts are "
      + "null")
  private static let engines = ExportEngine.allCases.map(\.rawValue)
  private static let target = Operand(
    "ENGINE",
    "\(engines.joined(separator: ", ")): what each needs to run the bundle, from functions.json. runner doctor "
      + "--engine says what it lacks"
  ).offering(.words(engines))

  /// `runner export`, also of an event.
  static let spec = CommandSpec(
    "export", "print an event for a test, or write files that deploy the bundle",
    [event.required, EventFilter.function, ExportCommand.asTest, Reply.option],
    [target.required, out, name, image, dev, beside, hostNames, diff, force, Reply.option]
  ) { arguments in
    guard let engine = try engine(arguments) else { return try await ExportCommand.run(arguments) }
    return try Self(engine, arguments).run()
  }

  private let engine: ExportEngine
  private let deployment: Deployment
  private let folder: String
  private let isForDevelopment: Bool
  private let force: Bool
  private let compares: Bool
  private let answer: Reply

  /// The engine that the word behind `export` names; `nil` if it is an event's id.
  ///
  /// - Throws: if the word was meant to name an engine.
  private static func engine(_ arguments: CommandArguments) throws(FunctionError) -> ExportEngine? {
    guard let word = arguments.operand else { return nil }
    if let engine = ExportEngine(rawValue: word) {
      guard !arguments.has([EventFilter.function]) else {
        throw FunctionError(.usage, "--function goes with the id of an event; see runner export --help.")
      }
      return engine
    }
    let near = Suggestion.phrase(for: word, among: engines)
    guard near.isEmpty, !arguments.has([out, name, image, dev, beside, hostNames, diff, force]) else {
      throw FunctionError(
        .usage, "There is no engine \(word);\(near) it is one of \(engines.joined(separator: ", ")).")
    }
    return nil
  }

  private init(_ engine: ExportEngine, _ arguments: CommandArguments) throws {
    self.engine = engine
    let project = try Project(arguments)
    answer = Reply(arguments)
    isForDevelopment = arguments[Self.dev]
    force = arguments[Self.force]
    compares = arguments[Self.diff]
    guard !isForDevelopment || engine == .compose else {
      throw FunctionError(.usage, "--dev goes with runner export compose.")
    }
    let usual = isForDevelopment ? ".devcontainer" : "deploy/\(engine.rawValue)"
    folder = arguments[Self.out] ?? "\(project.directory)/\(usual)"
    let beside = arguments[Self.beside]
    guard beside == nil || engine == .nginx else {
      throw FunctionError(.usage, "--beside goes with runner export nginx.")
    }
    let hosts = arguments[Self.hostNames]
    guard hosts == nil || engine == .kubernetes else {
      throw FunctionError(.usage, "--host-name goes with runner export kubernetes.")
    }
    deployment = try Deployment(
      of: project.manifest, name: arguments[Self.name], image: arguments[Self.image], beside: beside,
      hosts: hosts?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? [],
      state: project.stateInside.flatMap { $0 == ".runner" ? nil : $0 })
  }

  private func run() throws -> Int32 {
    let files = isForDevelopment ? deployment.development : try engine.files(of: deployment)
    if folder == "-", !compares {
      return TerminalWriter.say(files.map { "# ----- \($0.path)\n\($0.text)" }.joined(separator: "\n"))
    }
    let target = ExportFolder(folder)
    if compares {
      let difference = target.difference(to: files)
      if !difference.isEmpty { TerminalWriter.say(String(difference.dropLast())) }
      return difference.isEmpty ? 0 : 1
    }
    let written = try target.write(files, force: force)
    return try answer(written, text: text(of: written))
  }

  private func text(of result: ExportFolder.Written) -> String {
    let changed = result.written.map { "wrote    \(folder)/\($0)" } + result.removed.map { "removed  \(folder)/\($0)" }
    let same = result.unchanged.count
    let rest = same == 0 ? [] : ["\(same) \(same == 1 ? "file is" : "files are") as before in \(folder)"]
    return (changed + rest).joined(separator: "\n")
  }
}
