import FunctionKit
import Glibc
import Manifest
import System
import Targets
import Workers

// The processes that run beside the functions.
extension Server {
  /// Starts the services that this database allows, one after the other.
  func startServices() async throws {
    for entry in missingServices {
      log.warning("A service is not started", ["service": entry.name, "problem": entry.absence])
    }
    guard options.startsServices else { return }
    for entry in project.manifest.services where entry.isStarted(isLocal: isLocal, environment.own) {
      let service = ServiceProcess(name: entry.name, launch: await launch(of: entry), printer: printer)
      services.append(service)
      environment.services.merge(try await service.start()) { $1 }
      log.info("A service is up", ["service": entry.name])
      supervisor.start("service \(entry.name)") { [self] in
        try await service.run { [self] in await follow($0) }
      }
    }
  }

  private func launch(of entry: ServiceEntry) async -> Launch {
    let state = "\(project.state)/\(entry.name)"
    let arguments = entry.arguments.map { $0.replacing("{state}", with: state) }
    if arguments != entry.arguments { await clockFiles.add(folder: state) }
    return Launch(
      executable: project.executable(entry.name), arguments: arguments, environment: environment.base,
      directory: project.directory)
  }

  /// Gives functions the variables of a service that was started again.
  private func follow(_ offered: [String: String]) async {
    environment.services.merge(offered) { $1 }
    for entry in project.manifest.functions { pools[entry.name]?.replaceLaunch(launch(of: entry)) }
    if let changed = try? targetSettings(of: project.manifest, environment) {
      targetSettings = changed
      for (name, target) in targets {
        if let settings = changed[name] { target.use(settings) }
      }
    }
    await announce()
  }

  /// Tells other commands where everything is.
  func announce() async {
    let state = RunnerState(
      url: url, pid: getpid(), environment: environment.services,
      database: RunnerState.digest(databaseURL ?? ""), isLocal: isLocal,
      missing: missingServices.map(\.name))
    let project = project
    do { try await BlockingThread.run { try state.write(project) } } catch {
      log.warning("Other commands cannot find this runner", ["error.cause": "\(error)"])
    }
  }
}
