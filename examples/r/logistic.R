# r-logistic: Bayesian multinomial logistic regression as a native agent of Jointly (protocol 1).
# Weights have the prior N(0, prior-scale^2). The posterior is approximated by a Gaussian at its mode
# (Laplace); a draw is one sample of all weights. Base R and jsonlite.

max_weights <- 3000  # the Hessian is dense: 3000 weights take 72 MB and some seconds

description <- list(
  name = "r-logistic", version = "0.1.0", kinds = list("classification"),
  summary = "Bayesian multinomial logistic regression, Laplace approximation, in R",
  parameters = list(list(name = "prior-scale", default = "1",
    summary = "standard deviation of the weights' prior, from 1e-4 to 1e4")),
  sweeps = list(list(name = "prior-scale", variants = lapply(c("0.3", "1", "3", "10"),
    function(scale) list("prior-scale" = scale)))))

# ---- Connection ----

sink(stderr())                 # whatever prints by accident must not reach the connection
input <- file("stdin", "rb")   # the stdin() of R is in text mode; file("stdin") is the real one
output <- pipe("cat", "wb")    # stdout() cannot be binary, and /dev/stdout cannot be opened on a socket

read_bytes <- function(n) {
  bytes <- readBin(input, "raw", n)
  if (length(bytes) < n) stop("the connection ended inside a message") else bytes
}

# Arrays of uint64 stay raw, one column of 8 bytes per number, as R has no type that holds them.
read_array <- function(dtype, shape) {
  width <- c(float32 = 4, float64 = 8, uint32 = 4, uint64 = 8)[[dtype]]
  bytes <- read_bytes(width * prod(shape))
  if (dtype == "uint64") return(matrix(bytes, nrow = 8))
  type <- if (dtype == "uint32") "integer" else "double"  # a uint32 from 2^31 on would be negative
  values <- readBin(bytes, type, prod(shape), size = width, endian = "little")
  if (length(shape) == 2) matrix(values, shape[1], shape[2], byrow = TRUE) else values
}

# The next request with its arrays, or NULL at the end. All arrays are read before anything can fail,
# so that the connection is at the start of a message after every failure.
receive <- function() {
  size <- readBin(input, "integer", 1, size = 4, endian = "little")
  if (length(size) == 0) return(NULL)
  if (is.na(size) || size < 0 || size > 2^24) stop("no message: a header of ", size, " bytes")
  request <- jsonlite::fromJSON(rawToChar(read_bytes(size)), simplifyVector = FALSE)
  request$data <- list()
  for (array in request[["arrays"]])
    request$data[[array[["name"]]]] <- read_array(array[["dtype"]], as.numeric(unlist(array[["shape"]])))
  request
}

# `chunks` is a list of raw vectors that follow the header: one array of doubles would be twice as large.
send <- function(header, chunks = list()) {
  bytes <- charToRaw(enc2utf8(jsonlite::toJSON(header, auto_unbox = TRUE)))
  writeBin(length(bytes), output, size = 4, endian = "little")
  for (chunk in c(list(bytes), chunks)) writeBin(chunk, output)
  flush(output)
}

# Integers, because jsonlite writes the double 100000 as 1e+05; a list, because it unboxes c(7).
array_header <- function(name, dtype, ...)
  list(arrays = list(list(name = name, dtype = dtype, shape = lapply(list(...), as.integer))))

fail <- function(kind, ...) stop(errorCondition(paste0(...), kind = kind))

# ---- Model ----

log_softmax <- function(z) {
  z <- z - do.call(pmax, lapply(seq_len(ncol(z)), function(k) z[, k]))  # apply() is slow
  z - log(rowSums(exp(z)))
}

# Weights are a matrix with a row for each input and one for the bias, and a column for each class.
fit <- function(x, labels, num_classes, scale) {
  x <- cbind(x, rep(1, nrow(x)))  # rep, because cbind(x, 1) warns on no rows
  y <- outer(labels, seq_len(num_classes) - 1, "==") + 0
  log_probs <- function(w) log_softmax(x %*% matrix(w, ncol(x)))
  loss <- function(w) -sum(y * log_probs(w)) + sum(w^2) / (2 * scale^2)
  gradient <- function(w) as.vector(crossprod(x, exp(log_probs(w)) - y)) + w / scale^2
  # factr: the default stops at 7 digits of the loss, which with a wide prior is far from the mode.
  mode <- optim(rep(0, ncol(x) * num_classes), loss, gradient, method = "L-BFGS-B",
    control = list(maxit = 1000, factr = 1e4))$par
  p <- exp(log_probs(mode))
  hessian <- diag(1 / scale^2, length(mode))
  block <- function(k) (k - 1) * ncol(x) + seq_len(ncol(x))  # the weights of a class
  for (j in seq_len(num_classes)) for (k in seq_len(num_classes)) {
    curvature <- p[, j] * ((j == k) - p[, k])
    hessian[block(j), block(k)] <- hessian[block(j), block(k)] + crossprod(x, x * curvature)
  }
  list(mode = mode, chol = chol(hessian), num_classes = num_classes)
}

# One 31-bit number for each draw, from the text of the seed and all eight bytes of the draw: a
# polynomial modulo the prime 2^31-1, whose products stay below 2^53 and are thus exact. Draws
# below 2^16 never collide, because 255 times the factor is below the prime.
draw_seeds <- function(seed, draws) {
  hash <- 0
  mix <- function(byte) hash <<- (hash * 1664525 + as.integer(byte)) %% 2147483647
  for (byte in as.integer(charToRaw(seed))) mix(byte)
  for (i in 1:8) mix(draws[i, ])
  hash
}

# ---- Requests ----

model <- NULL  # the only one of the connection

train <- function(request) {
  model <<- NULL
  if (request[["kind"]] != "classification") fail("unsupported", "r-logistic classifies only")
  task <- request[["task"]]
  if (!is.null(task[["tokens"]])) fail("unsupported", "r-logistic does not take tokens")
  settings <- modifyList(list("prior-scale" = "1"), request[["settings"]])
  for (name in setdiff(names(settings), "prior-scale")) fail("invalid-setting", "there is no setting ", name)
  text <- settings[["prior-scale"]]
  # as.numeric alone takes " 0x1" and "1d2" as well.
  scale <- if (grepl("^[0-9]*[.]?[0-9]+(e[+-]?[0-9]+)?$", text)) as.numeric(text) else NA
  if (is.na(scale) || scale < 1e-4 || scale > 1e4)
    fail("invalid-setting", "prior-scale is a number from 1e-4 to 1e4, not ", text)
  weights <- (task[["input_dim"]] + 1) * task[["num_classes"]]
  if (weights > max_weights) fail("unsupported", weights, " weights are more than ", max_weights)
  data <- request$data
  model <<- tryCatch(fit(data[["train.inputs"]], data[["train.labels"]], task[["num_classes"]], scale),
    error = function(e) fail("diverged", conditionMessage(e)))
  model$seed <<- request[["seed"]]
  send(list(trained = TRUE))
}

sample_probs <- function(request) {
  if (is.null(model)) fail("internal", "there is no trained model")
  x <- cbind(request$data[["inputs"]], rep(1, nrow(request$data[["inputs"]])))
  seeds <- draw_seeds(model$seed, request$data[["draws"]])
  chunks <- lapply(seeds, function(seed) {
    set.seed(seed, "Mersenne-Twister", "Inversion")
    weights <- model$mode + backsolve(model$chol, rnorm(length(model$mode)))
    probs <- exp(log_softmax(x %*% matrix(weights, ncol(x))))
    writeBin(as.vector(t(probs)), raw(), size = 4, endian = "little")
  })
  send(array_header("probs", "float32", length(seeds), nrow(x), model$num_classes), chunks)
}

answer <- function(request) switch(request[["method"]],
  describe = send(list(protocol = 1L, description = description)),
  train = train(request),
  sample_probs = sample_probs(request),
  canonical_draws = send(array_header("draws", "uint64", ncol(request$data[["draws"]])),
    list(as.vector(request$data[["draws"]]))),  # every draw is a function of its own
  drop = { model <<- NULL; send(list(dropped = TRUE)) },
  fail("internal", "r-logistic has no method ", request[["method"]]))

while (!is.null(request <- receive())) tryCatch(answer(request), error = function(e)
  send(list(failure = list(kind = c(e$kind, "internal")[1], message = conditionMessage(e)))))
