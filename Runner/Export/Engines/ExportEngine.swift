package import FunctionKit

/// The engines for which a bundle can be exported.
package enum ExportEngine: String, Sendable, CaseIterable {
  case systemd, nginx, compose, docker, kubernetes, knative, openfaas, lambda

  /// The files for an engine, in the order of their paths; the same for the same `functions.json`.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` with the entry's path, if the engine cannot express it.
  package func files(of deployment: Deployment) throws(FunctionError) -> [ExportedFile] {
    let files =
      switch self {
      case .systemd: deployment.systemd + deployment.monitoring
      case .nginx: [ExportedFile("nginx.conf", deployment.nginx)]
      case .compose: deployment.compose + deployment.dockerFiles + deployment.monitoring
      case .docker: deployment.dockerFiles
      case .kubernetes: deployment.kubernetes + deployment.dockerFiles + deployment.monitoring
      case .knative: try deployment.knative + deployment.dockerFiles
      case .openfaas: try deployment.openFaaS
      case .lambda: try deployment.lambda + deployment.dockerFiles
      }
    return files.sorted { $0.path < $1.path }
  }
}
