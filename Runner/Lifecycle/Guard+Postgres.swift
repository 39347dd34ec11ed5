import Glibc
import LocalPostgres
import System

extension Guard {
  /// Stops the project's PostgreSQL within 5 seconds of the runner's end, unless another runner uses or starts it.
  ///
  /// Once started, a fast shutdown that takes too long becomes an immediate one: nothing that was committed is lost.
  static func stopPostgres(of project: String, since start: ContinuousClock.Instant) {
    guard let layout = try? ClusterLayout(project: project), let locks = try? ClusterLocks(layout) else { return }
    guard Patience.block(until: start + .seconds(3), { locks.starting.take(.exclusive) }) else { return }
    // The kernel closes the runner's descriptors one after another: its lock may go a moment after its line.
    let alone = Patience.block(until: ContinuousClock.now + .milliseconds(300)) { locks.using.take(.exclusive) }
    guard alone, let postmaster = Postmaster.running(in: layout.data) else { return }
    unlink(layout.urlFile)
    postmaster.send(SIGINT)
    if Patience.block(until: start + .seconds(4), { !postmaster.isRunning }) { return }
    postmaster.send(SIGQUIT)
    _ = Patience.block(until: start + .seconds(10)) { !postmaster.isRunning }
  }
}
