package import Manifest

/// The parts of the console, in the order of the navigation.
package enum StandardPages {
  /// - Parameter isOwnDatabase: whether the runner keeps the database itself: experiments are for no other.
  package static func of(_ manifest: Manifest, isOwnDatabase: Bool) -> [any PageSource] {
    let experiments = isOwnDatabase ? manifest.experiments : []
    let tries: [any PageSource] = experiments.isEmpty ? [] : [TryPages(experiments: experiments)]
    return [NowPages(), EventPages(), FindPages(), DeadPages(), FunctionsPages(), SchedulesPages(), ClockPages()]
      + tries
  }
}
