import Foundation
import FunctionKit
import TestSupport

/// A `runner serve`.
struct ServingRunner {
  let program: RunningProgram
  let url: String
  private let folder: String
  /// Whether it ends because it was made to.
  var isKilled = false

  /// One that did not come to serve.
  struct Failure: Error {
    let program: RunningProgram
    let status: Int32?
  }

  /// Starts it and waits until it serves; throws ``Failure``.
  static func start(
    _ folder: String, _ options: [String] = [], environment: [String: String]
  ) async throws -> ServingRunner {
    let words = ["serve", "--port", "0", "--project", folder] + options
    let program = try RunningProgram("runner", words, environment: environment)
    do {
      let line = try await program.line(within: .seconds(40)) { $0.contains(#""message":"Serving""#) }
      let url = try RawJSON(validating: Array(line.utf8)[...])["url"]?.stringValue
      return ServingRunner(program: program, url: url ?? "", folder: folder)
    } catch {
      let status = program.ended
      program.send(SIGKILL)
      throw Failure(program: program, status: status)
    }
  }

  private init(program: RunningProgram, url: String, folder: String) {
    (self.program, self.url, self.folder) = (program, url, folder)
  }

  /// The variables that its services offer to functions.
  func offered() throws -> [String: String] {
    let text = FileManager.default.contents(atPath: "\(folder)/.runner/runner.json") ?? Data()
    let members = try RawJSON(validating: Array(text)[...])["environment"]?.members ?? []
    return Dictionary(members.compactMap { member in member.value.stringValue.map { (member.name, $0) } }) { $1 }
  }
}
