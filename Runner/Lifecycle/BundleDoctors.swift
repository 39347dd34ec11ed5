import Documents
package import FunctionKit
package import Manifest
import System
import Workers

/// The doctors of a bundle, such as `doctor push`: they know what its settings and texts mean, and the runner does not.
package struct BundleDoctors: Sendable {
  /// The questions to a doctor, by the option that it gets.
  package enum Question: String, Sendable {
    case settings = "--settings"
    /// The faults of the files of `"languages"`: the findings whose check is `languages`.
    case languages = "--languages"

    fileprivate var subject: String {
      switch self {
      case .settings: "settings"
      case .languages: "texts"
      }
    }
  }

  /// Something that is not well.
  package struct Complaint: Sendable {
    package let check: String
    package let detail: String
    /// Whether it works as it is, but may surprise.
    package let isWarning: Bool
    /// Whether it is that a doctor has not answered.
    fileprivate var isSilence = false
  }

  private let project: Project
  /// The variables by which the guard finds left processes.
  private let marks: [String: String]
  private let timeLimit: Duration

  /// - Parameter timeLimit: how long each may take.
  package init(_ project: Project, marks: [String: String] = [:], timeLimit: Duration = .seconds(20)) {
    (self.project, self.marks, self.timeLimit) = (project, marks, timeLimit)
  }

  /// The findings of the doctors, each in a process of its own.
  ///
  /// A doctor that does not know the question is not heard. One that takes too long is ended; that is a complaint, and so
  /// is a crash. One that cannot be started is a complaint where texts are there that it should read. A cancelled task
  /// ends them.
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
      let run = await CommandRun.run(launch, timeLimit: timeLimit, endsWithTask: true)
      guard !Task.isCancelled else { break }
      if run.status == nil, run.isBegun || question == .languages {
        complaints.append(silence(of: doctor.name, run, question))
      }
      complaints += ((try? RawJSON(validating: run.output[...]))?.elements ?? []).compactMap(Complaint.init(_:))
    }
    return complaints
  }

  private func silence(of doctor: String, _ run: CommandRun, _ question: Question) -> Complaint {
    let time = run.timedOut ? "within \(timeLimit.components.seconds) seconds" : "before it crashed"
    let detail =
      run.isBegun
      ? "has not said \(time) what it thinks of the \(question.subject)"
      : "says nothing of the \(question.subject): \(run.complaint.dropLast())"
    return Complaint(check: doctor, detail: detail, isWarning: true, isSilence: true)
  }

  /// Asks for the files of `"languages"`, if there are any, and names the first line that would be told to nobody.
  ///
  /// A doctor that takes too long, crashes or cannot be started keeps nothing from going on: the log says so.
  /// - Throws: ``FunctionError/Code/misconfigured`` if there is such a line, and `CancellationError` if the task is
  ///   cancelled.
  package func checkLanguages(log: Log) async throws {
    let found = await languages()
    try Task.checkCancellation()
    for silence in found.filter(\.isSilence) {
      log.warning("Nobody has checked the app's own texts", ["error.cause": "\(silence.check) \(silence.detail)."])
    }
    let faults = found.filter { !$0.isWarning }
    guard let first = faults.first else { return }
    let more = faults.count > 1 ? " It is not the only one: see runner validate." : ""
    throw refusal("\(first.detail).\(more)")
  }

  /// Asks for the files of `"languages"`, if there are any, and names every line that would be told to nobody.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if there is such a line, and ``FunctionError/Code/unavailable`` if a
  ///   doctor takes too long, crashes or cannot be started.
  package func validateLanguages() async throws {
    let found = await languages()
    let faults = found.filter { !$0.isWarning }
    guard faults.isEmpty else { throw refusal(faults.map { "\($0.detail)." }.joined(separator: "\n")) }
    if let silence = found.first(where: \.isSilence) {
      throw FunctionError(.unavailable, "runner \(silence.check) \(silence.detail).")
    }
  }

  private func languages() async -> [Complaint] {
    guard project.manifest.languages != nil else { return [] }
    return await complaints(.languages).filter { $0.check == "languages" || $0.isSilence }
  }

  private func refusal(_ what: String) -> FunctionError {
    FunctionError(
      .misconfigured, "In \(project.manifest.languages ?? ""), which is \"languages\" of functions.json, \(what)")
  }
}

extension BundleDoctors.Complaint {
  /// A finding that is not well; `nil` for all else.
  fileprivate init?(_ json: RawJSON) {
    guard let finding = try? JSONCoding.decode(FindingDocument.self, from: json), finding.warning || !finding.ok else {
      return nil
    }
    (check, detail, isWarning) = (finding.check, finding.detail, finding.warning)
  }
}
