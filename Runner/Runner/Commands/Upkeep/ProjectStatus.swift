import Documents
import FoundationEssentials
import FunctionKit
import Glibc
import Inspection
import Lifecycle
import LocalPostgres
import Manifest
import System

extension ProjectStatus {
  var isRunning: Bool { runner != nil }

  /// Looks at the processes; ``waiting``, ``overdue``, ``outages`` and ``paused`` are filled in elsewhere.
  init(_ project: Project) throws {
    self.init(project: project.directory)
    let layout = try ClusterLayout(project: project.directory)
    try layout.checkRunnerDirectory()
    let state = RunnerState.serving(project)
    if let process = ServingClaim.holder(project) {
      runner = Runner(process: Int(process), url: state?.url, since: ServingClaim.since(project))
      services = Self.services(of: process, project, state?.environment ?? [:])
    }
    let data = layout.data
    if access("\(data)/PG_VERSION", F_OK) == 0 {
      database = Database(
        process: Postmaster.running(in: data).map { Int($0.process) }, data: data, bytes: Folder.size(data))
    }
    left = Self.leftBehind()
  }

  /// What deleted checkouts have left.
  private static func leftBehind() -> [Left] {
    let runners = LeftRunner.all().map {
      Left(project: $0.project, processes: [Int($0.process)], data: nil, bytes: 0)
    }
    return runners
      + LeftCluster.all().map { cluster in
        Left(
          project: cluster.project, processes: cluster.server.map { [Int($0.process)] } ?? [], data: cluster.home,
          bytes: Folder.size(cluster.home))
      }
  }

  /// A service's own address is what it offers under its name: `PUSH_EMULATOR_URL` of `push-emulator`.
  private static func services(
    of runner: pid_t, _ project: Project, _ environment: [String: String]
  ) -> [Service] {
    let children = ProcessTable.descendants(of: runner).keys.sorted()
    return project.manifest.services.compactMap { entry in
      let program = project.executable(entry.name)
      guard let process = children.first(where: { ProcessTable.words(of: $0).first == program }) else { return nil }
      let variable = entry.name.uppercased().replacing("-", with: "_") + "_URL"
      return Service(name: entry.name, process: Int(process), url: environment[variable])
    }
  }
}
