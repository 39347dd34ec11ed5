import FunctionKit
package import Manifest
import System
import Workers

/// The doctors of a bundle, such as `doctor push`: they know what its settings and texts mean, and the runner does not.
package struct BundleDoctors: Sendable {
  /// What a doctor is asked, by the option that it gets.
  package enum Question: String, Sendable {
    case settings = "--settings"
    /// What is wrong with the files of `"languages"`: the findings whose check is `languages`.
    case languages = "--languages"
  }

  /// Something that is not well.
  package struct Complaint: Sendable {
    package let check: String
    package let detail: String
    /// Whether it works as it is, but may surprise.
    package let isWarning: Bool
  }

  private static let timeLimit = Duration.seconds(20)

  private let project: Project
  /// What the guard finds left processes by.
  private let marks: [String: String]

  package init(_ project: Project, marks: [String: String] = [:]) {
    (self.project, self.marks) = (project, marks)
  }

  /// What they find, each in a process of its own.
  ///
  /// A doctor that does not know the question or cannot be run is not heard.
  package func complaints(_ question: Question) async -> [Complaint] {
    let doctors = project.manifest.commands.filter { $0.name.hasPrefix("doctor ") }
    guard !doctors.isEmpty else { return [] }
    let environment = await BlockingThread.run { CommandEnvironment.variables(project).merging(marks) { $1 } }
    var complaints: [Complaint] = []
    for doctor in doctors {
      let launch = Launch(
        executable: project.executable(doctor.executable),
        arguments: doctor.arguments + [question.rawValue, "--json"], environment: environment,
        directory: project.directory)
      let run = await CommandRun.run(launch, timeLimit: Self.timeLimit)
      complaints += ((try? RawJSON(validating: run.output[...]))?.elements ?? []).compactMap(Complaint.init(_:))
    }
    return complaints
  }

  /// Asks for the files of `"languages"`, if there are any.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if a line of them would be told to nobody.
  func checkLanguages() async throws {
    guard let folder = project.manifest.languages else { return }
    let faults = await complaints(.languages).filter { $0.check == "languages" && !$0.isWarning }
    guard let first = faults.first else { return }
    let more = faults.count > 1 ? " It is not the only one: see runner doctor." : ""
    throw FunctionError(
      .misconfigured, "In \(folder), which is \"languages\" of functions.json, \(first.detail).\(more)")
  }
}

extension BundleDoctors.Complaint {
  /// A finding that is not well; `nil` for all else.
  fileprivate init?(_ json: RawJSON) {
    guard let check = json["check"]?.stringValue, let detail = json["detail"]?.stringValue else { return nil }
    let isWarning = json["warning"] == RawJSON(true)
    guard isWarning || json["ok"] == RawJSON(false) else { return nil }
    self.init(check: check, detail: detail, isWarning: isWarning)
  }
}
