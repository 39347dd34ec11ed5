import CLI
import FunctionKit
import Lifecycle
import Manifest
import Workers

extension DoctorCommand {
  /// What is wrong with settings that only the bundle's own doctors know, such as `doctor push`.
  ///
  /// One that does not know `--settings` is not heard.
  func subjects() async -> [Finding] {
    var findings: [Finding] = []
    for command in project.manifest.commands where command.name.hasPrefix("doctor ") {
      let launch = Launch(
        executable: project.executable(command.executable), arguments: command.arguments + ["--settings", "--json"],
        environment: CommandEnvironment.variables(project), directory: project.directory)
      let run = await CommandRun.run(launch, timeLimit: .seconds(20))
      findings += ((try? RawJSON(validating: run.output[...]))?.elements ?? []).compactMap(Self.complaint)
    }
    return findings
  }

  /// A finding that is not well.
  private static func complaint(_ json: RawJSON) -> Finding? {
    guard let check = json["check"]?.stringValue, let detail = json["detail"]?.stringValue else { return nil }
    if json["ok"] == RawJSON(false) { return .missing(check, detail) }
    return json["warning"] == RawJSON(true) ? .warning(check, detail) : nil
  }
}
