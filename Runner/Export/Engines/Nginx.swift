import FunctionKit
import Manifest

// The proxy that ends TLS in front of the runner of one machine, and of the app's own server where there is one.
extension Deployment {
  var nginx: String {
    """
    # Written by "runner export", for /etc/nginx/conf.d/\(name).conf: TLS, and of the runner only what clients may call.
    #
    # Of the runner everything else stays closed: /_/health, /_/ready, /_/state, /metrics, and functions without an "http"
    # trigger. Put the name of your server in place of push.example.com, four times, and the paths of your certificate in
    # place of those below. The runner is to have RUNNER_KEY: functions that need the key answer 401 here without one.

    # Calls of one address.
    limit_req_zone $binary_remote_addr zone=\(name):10m rate=50r/s;

    # Forms of the site's own pages name it as their origin. The runner does not know the site, so it would refuse them.
    map $http_origin $\(originVariable) {
        "https://push.example.com" "";
        default $http_origin;
    }

    \(upgradeMap)upstream \(name) {
        server 127.0.0.1:\(Self.port);
        keepalive 32;
    }

    server {
        listen 80;
        listen [::]:80;
        server_name push.example.com;
        return 301 https://$host$request_uri;
    }

    server {
        listen 443 ssl http2;
        listen [::]:443 ssl http2;
        server_name push.example.com;
        ssl_certificate /etc/ssl/\(name)/fullchain.pem;
        ssl_certificate_key /etc/ssl/\(name)/privkey.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
        server_tokens off;
        limit_req_status 429;

        # nginx reads a whole request before it passes it on in a form of its own: the runner never sees another framing.
        proxy_http_version 1.1;
        proxy_request_buffering on;
        proxy_set_header Connection "";
        # The runner listens on the loopback, and takes no other name.
        proxy_set_header Host 127.0.0.1;
        # Pages of other sites stay refused by theirs, unless the environment allows them.
        proxy_set_header Origin $\(originVariable);
        # What a client says of its own address does not count. The runner takes this one, because its environment has
        # RUNNER_TRUSTED_PROXIES=127.0.0.1.
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Forwarded-Host $host;
        proxy_set_header Forwarded "";
        proxy_set_header X-Real-IP "";
        # One of several runners may be gone without a word, as the container of one that is replaced.
        proxy_connect_timeout 5s;
        # As long as the slowest function that is called may take, and some.
        proxy_read_timeout \((called.map(\.timeout).max() ?? 30) + 15)s;

        # A call by another name.
        if ($host != "push.example.com") {
            return 421;
        }
    \(publicPatterns.map(location).joined(separator: "\n"))

        location / {
    \(rest)
        }
    }
    """
  }

  /// The runner takes a body of 1 MiB at most.
  private func location(_ path: String) -> String {
    """
        location ~ ^\(path)$ {
            client_max_body_size 1m;
            limit_req zone=\(name) burst=200 nodelay;
            proxy_pass http://\(name);
        }
    """
  }

  /// Where everything goes that the runner does not answer.
  private var rest: String {
    guard let server = beside else { return "        return 404;" }
    return """
              # The app's own server, which has limits of its own, sees requests as they came.
              client_max_body_size 0;
              proxy_http_version 1.1;
              proxy_set_header Host $host;
              proxy_set_header Upgrade $http_upgrade;
              proxy_set_header Connection $\(upgradeVariable);
              proxy_set_header X-Forwarded-For $remote_addr;
              proxy_set_header X-Forwarded-Proto $scheme;
              proxy_set_header X-Forwarded-Host $host;
              proxy_read_timeout 60s;
              proxy_pass \(server);
      """
  }

  /// For WebSockets of the app's own server.
  private var upgradeMap: String {
    guard beside != nil else { return "" }
    return """
      map $http_upgrade $\(upgradeVariable) {
          "" "";
          default upgrade;
      }


      """
  }

  private var upgradeVariable: String { originVariable.replacing("_origin", with: "_upgrade") }

  /// The name of a variable has no hyphens.
  private var originVariable: String { name.replacing("-", with: "_") + "_origin" }

  private var called: [FunctionEntry] { manifest.functions.filter(\.isCalled) }

  /// Regular expressions of the paths that functions with an `http` trigger have, each once.
  private var publicPatterns: [String] {
    publicPaths.map { path in
      path.split(separator: "/", omittingEmptySubsequences: false).map {
        $0.hasPrefix("{") ? "[^/]+" : $0.replacing(".", with: "\\.").replacing("+", with: "\\+")
      }.joined(separator: "/")
    }.once
  }
}
