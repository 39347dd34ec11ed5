import FunctionKit
import Logging
import Manifest
import System
import Workers

/// The processes that run beside the functions.
@RunnerLoop
final class Services {
  private let served: ServedProject
  private let clockFiles = ClockFiles()
  private var processes: [ServiceProcess] = []
  private let printer: LogPrinter
  private let log: Log

  init(_ served: ServedProject, printer: LogPrinter, log: Log) {
    (self.served, self.printer, self.log) = (served, printer, log)
  }

  /// Starts the services that the database allows, one after the other.
  ///
  /// - Parameter announce: called when one was started again, with other variables for functions.
  func start(_ supervisor: Supervisor, announce: @escaping @RunnerLoop () async -> Void) async throws {
    for entry in served.missingServices {
      log.warning("A service is not started", ["service": entry.name, "problem": entry.absence])
    }
    for entry in served.startedServices {
      let service = ServiceProcess(name: entry.name, launch: await launch(of: entry), printer: printer)
      processes.append(service)
      served.offer(try await service.start())
      log.info("A service is up", ["service": entry.name])
      supervisor.start("service \(entry.name)") { [served] in
        try await service.run { variables in
          served.offer(variables)
          served.followEnvironment()
          await announce()
        }
      }
    }
  }

  func stop() async { for service in processes { await service.stop() } }

  /// Tells services how many seconds the clock is ahead, before anything runs by it.
  func setClock(_ offset: Double) async { await clockFiles.write(offset, log: log) }

  private func launch(of entry: ServiceEntry) async -> Launch {
    let project = served.project
    let state = "\(project.state)/\(entry.name)"
    let arguments = entry.arguments.map { $0.replacing("{state}", with: state) }
    if arguments != entry.arguments { await clockFiles.add(folder: state) }
    return Launch(
      executable: project.executable(entry.name), arguments: arguments, environment: served.environment.base,
      directory: project.directory)
  }
}
