import FoundationEssentials
import FunctionKit
import Glibc
import Inspection
import Lifecycle
import LocalPostgres
import Manifest
import System

/// What a project runs on this machine, and what waits.
struct ProjectStatus: Encodable {
  struct Runner: Encodable {
    var process: Int
    /// `nil` while it is starting.
    var url: String?
    var since: Date?
  }

  struct Database: Encodable {
    /// `nil` if it does not run.
    var process: Int?
    var data: String
    var bytes: Int
  }

  struct Service: Encodable {
    var name: String
    var process: Int
    var url: String?
  }

  /// The numbers of events that have not ended.
  struct Waiting: Encodable {
    var events: Int
    var retries: Int
    var deadLetters: Int
  }

  /// What a deleted checkout has left.
  struct Left: Encodable {
    var project: String
    /// The process of a runner or a PostgreSQL server.
    var processes: [Int]
    /// The folder of its database, if that lies outside the project.
    var data: String?
    var bytes: Int
  }

  var project: String
  var runner: Runner?
  var database: Database?
  var services: [Service] = []
  var waiting: Waiting?
  /// Functions that wait until they are repaired.
  var paused: [String] = []
  /// What should have happened more than a minute ago.
  var overdue: [Overdue] = []
  /// What waits because something outside is away, a sentence each.
  var outages: [String] = []
  /// Why the database says nothing of all this; `nil` if it does, or if it is the runner's own and does not run.
  var silence: String?
  var left: [Left] = []

  var isRunning: Bool { runner != nil }
}

extension ProjectStatus {
  /// Looks at the processes; ``waiting``, ``overdue``, ``outages`` and ``paused`` are filled in elsewhere.
  init(_ project: Project) throws {
    self.project = project.directory
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
    left = Self.left
  }

  /// What deleted checkouts have left.
  static var left: [Left] {
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
