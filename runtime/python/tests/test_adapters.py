"""Adapters: their draws are functions, and their predictions those of the model that they adapt."""

from typing import Any

import numpy as np
import pytest
from host import Host
from test_protocol import served

import jointly_eval as je
from jointly_eval.adapters.enn import Network
from jointly_eval.adapters.gpytorch import Process
from jointly_eval.adapters.jax import Posterior
from jointly_eval.adapters.laplace import Approximation
from jointly_eval.adapters.numpyro import Sampled
from jointly_eval.adapters.sklearn import Estimators
from jointly_eval.adapters.torch import Dropout, Modules

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2)).astype(np.float32)
#: Class 1 has no example.
Y = np.where(X[:, 0] > 0, 2, 0).astype(np.uint32)
TOLERANCE = 1e-5


def trained(host: Host, rows: int = 40, settings: dict[str, str] | None = None) -> None:
    reply = host.train(settings, arrays={"train.inputs": X[:rows], "train.labels": Y[:rows]})
    assert reply == {"trained": True}, reply


def functions(agent: Any, draws: list[int], settings: dict[str, str] | None = None) -> Any:
    """Returns the probabilities of draws, after a test that each is one function."""
    with served(agent) as host:
        trained(host, settings=settings)
        _, together = host.probs(draws, X)
        _, alone = host.probs(draws[-1:], X[7:9])
        _, canonical = host.ask({"method": "canonical_draws"}, {"draws": np.array(draws, np.uint64)})
        _, same = host.probs(canonical["draws"].tolist(), X)
        trained(host, rows=0, settings=settings)
        assert host.probs(draws, X)[1]["probs"].shape == (len(draws), 40, 3)
    np.testing.assert_allclose(alone["probs"][0], together["probs"][-1, 7:9], atol=TOLERANCE)
    np.testing.assert_allclose(same["probs"], together["probs"], atol=TOLERANCE)
    return together["probs"]


class TestSklearn:
    def test_one_estimator_is_one_function(self) -> None:
        linear = pytest.importorskip("sklearn.linear_model")
        probs = functions(Estimators(linear.LogisticRegression()), [0, 9])
        expected = linear.LogisticRegression().fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(probs[0][:, [0, 2]], expected, atol=TOLERANCE)
        assert (probs[:, :, 1] == 0).all()
        np.testing.assert_array_equal(probs[0], probs[1])

    def test_members_of_a_forest_are_functions(self) -> None:
        ensemble = pytest.importorskip("sklearn.ensemble")
        forest = ensemble.RandomForestClassifier(5)
        probs = functions(Estimators(forest, members=True), list(range(5)))
        expected = ensemble.RandomForestClassifier(5, random_state=je.seed32(11400714819323198485, 0, 0)).fit(X, Y)
        np.testing.assert_allclose(probs.mean(axis=0)[:, [0, 2]], expected.predict_proba(X), atol=TOLERANCE)
        assert (probs[0] != probs[1]).any()

    def test_members_that_take_some_features_are_functions(self) -> None:
        ensemble, linear = pytest.importorskip("sklearn.ensemble"), pytest.importorskip("sklearn.linear_model")
        bag = ensemble.BaggingClassifier(linear.LogisticRegression(), n_estimators=4, max_features=1)
        probs = functions(Estimators(bag, members=True), list(range(4)), {"floor": "0.01"})
        assert probs.min() > 0.009

    def test_a_list_has_a_function_for_each(self) -> None:
        linear, tree = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("sklearn.tree")
        agent = Estimators([linear.LogisticRegression(), tree.DecisionTreeClassifier()])
        probs = functions(agent, [0, 1, 2])
        np.testing.assert_array_equal(probs[0], probs[2])
        assert set(np.unique(probs[1])) == {0.0, 1.0}
        assert agent.describe()["name"] == "logisticregression-decisiontreeclassifier"
        other = Estimators([linear.LogisticRegression(C=3), tree.DecisionTreeClassifier()])
        assert agent.describe()["version"] != other.describe()["version"]


class Directions(Posterior):
    """Three linear functions, of which the parameters are known."""

    def fit(self, task: je.Task, data: je.Examples, seed: int) -> Any:
        return {"w": np.arange(18, dtype=np.float32).reshape(3, 2, 3), "b": np.ones((3, 3), np.float32)}

    def logits(self, parameters: Any, inputs: Any) -> Any:
        return inputs @ parameters["w"] + parameters["b"]


def softmax(logits: Any) -> Any:
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def test_parameters_of_jax_are_functions() -> None:
    pytest.importorskip("jax")
    probs = functions(Directions(), [0, 1, 2, 4])
    weights = np.arange(18).reshape(3, 2, 3)
    for draw in range(3):
        np.testing.assert_allclose(probs[draw], softmax(X @ weights[draw] + 1), atol=TOLERANCE)
    np.testing.assert_allclose(probs[3], probs[1], atol=TOLERANCE)


def test_samples_of_numpyro_find_the_classes() -> None:
    numpyro = pytest.importorskip("numpyro")

    class Logistic(Sampled):
        def model(self, task: je.Task, inputs: Any, labels: Any) -> None:
            prior = numpyro.distributions.Normal(0, 3).expand([task.input_dim, task.num_classes]).to_event(2)
            parameters = {"w": numpyro.sample("w", prior)}
            likelihood = numpyro.distributions.Categorical(logits=self.logits(parameters, inputs))
            numpyro.sample("labels", likelihood, obs=labels)

        def logits(self, parameters: Any, inputs: Any) -> Any:
            return inputs @ parameters["w"]

    probs = functions(Logistic(), list(range(50)), {"warmup": "50", "samples": "50"})
    assert (probs.mean(axis=0).argmax(axis=-1) == Y).mean() > 0.9
    assert probs.std(axis=0).max() > 0.01


def test_an_index_of_an_epistemic_network_is_a_function() -> None:
    jax = pytest.importorskip("jax")

    class Output:
        """A train part and a prior part, as enn's OutputWithPrior has them."""

        def __init__(self, train: Any, prior: Any) -> None:
            self.preds = train + prior

    class Linear:
        """Has the members of an EnnArray: apply and indexer."""

        def apply(self, parameters: Any, state: Any, inputs: Any, index: Any) -> Any:
            return Output(inputs @ parameters, index), state

        def indexer(self, key: Any) -> Any:
            return jax.random.normal(key, (3,))

    class Indexed(Network):
        def fit(self, task: je.Task, data: je.Examples, seed: int) -> Any:
            return Linear(), np.eye(2, 3, dtype=np.float32), {}

    probs = functions(Indexed(), [0, 1, 2**40])
    # The index adds the same to the logits of all rows.
    shifts = np.log(probs) - np.log(softmax(X @ np.eye(2, 3)))
    shifts -= shifts[:, :, :1]
    assert np.ptp(shifts, axis=1).max() < 1e-4
    assert np.ptp(shifts, axis=0).max() > 0.1


class TestTorch:
    def test_modules_are_functions(self) -> None:
        torch = pytest.importorskip("torch", reason="PyTorch is Debian's python3-torch")

        class Pair(Modules):
            def fit(self, task: je.Task, data: je.Examples, seed: int) -> Any:
                torch.manual_seed(0)
                return [torch.nn.Linear(task.input_dim, task.num_classes) for _ in range(2)]

        probs = functions(Pair(), [0, 1, 2])
        torch.manual_seed(0)
        first = torch.nn.Linear(2, 3)(torch.from_numpy(X)).detach().numpy()
        np.testing.assert_allclose(probs[0], softmax(first), atol=TOLERANCE)
        np.testing.assert_array_equal(probs[0], probs[2])
        assert (probs[0] != probs[1]).any()

    def test_masks_of_dropout_are_those_of_the_draw(self) -> None:
        torch = pytest.importorskip("torch", reason="PyTorch is Debian's python3-torch")

        class Masked(Dropout):
            def fit(self, task: je.Task, data: je.Examples, seed: int) -> Any:
                torch.manual_seed(0)
                hidden = torch.nn.Linear(task.input_dim, 64)
                return torch.nn.Sequential(hidden, torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(64, 3))

        probs = functions(Masked(), list(range(400)))
        module = Masked().fit(je.Task(2, 3), je.Examples(X, Y.astype(np.int64)), 0).eval()
        logits = module(torch.from_numpy(X)).detach().numpy()
        # Half of the units are kept with twice the weight, so the mean of the logits is that without dropout.
        centred = np.log(probs) - np.log(probs).mean(axis=-1, keepdims=True)
        np.testing.assert_allclose(centred.mean(axis=0), logits - logits.mean(axis=-1, keepdims=True), atol=0.1)
        assert probs.std(axis=0).max() > 0.01

    def test_modules_that_cannot_be_drawn_are_refused(self) -> None:
        torch = pytest.importorskip("torch", reason="PyTorch is Debian's python3-torch")

        def reply(base: type[je.Classifier], *layers: Any) -> str:
            module = torch.nn.Sequential(torch.nn.Linear(2, 3), *layers)
            fit = module if base is Dropout else [module]
            agent = type("Net", (base,), {"fit": lambda self, task, data, seed: fit})
            with served(agent) as host:
                answer = host.train(arrays={"train.inputs": X, "train.labels": Y})
                answer = answer if "failure" in answer else host.probs([0], X)[0]
            message: str = answer.get("failure", {}).get("message", "")
            return message

        assert "Sequential has no layer torch.nn.Dropout" in reply(Dropout)
        assert reply(Dropout, torch.nn.Dropout(0.5)) == reply(Modules) == ""
        for base in (Dropout, Modules):
            assert "return logits" in reply(base, torch.nn.Dropout(0.5), torch.nn.Softmax(dim=-1))

    def test_masks_of_images_drop_whole_channels(self) -> None:
        torch = pytest.importorskip("torch", reason="PyTorch is Debian's python3-torch")
        from jointly_eval.adapters.torch import _mask

        ones = torch.ones(2, 64, 3, 3)
        masked = _mask(1)(torch.nn.Dropout2d(0.5), (), ones)
        channels = masked[0, :, 0, 0]
        assert set(channels.tolist()) == {0.0, 2.0}
        assert (masked == channels[None, :, None, None]).all()
        # A layer without dimensions drops each number by itself.
        assert (_mask(1)(torch.nn.Dropout(0.5), (), ones)[0].std(dim=(1, 2)) > 0).any()


def test_samples_of_laplace_torch_have_the_distribution_of_the_package() -> None:
    laplace = pytest.importorskip("laplace", reason="laplace-torch is installed beside PyTorch")
    import torch

    fitted: list[Any] = []

    class LastLayer(Approximation):
        def fit(self, task: je.Task, data: je.Examples, seed: int) -> Any:
            torch.manual_seed(0)
            module = torch.nn.Sequential(torch.nn.Linear(task.input_dim, 20), torch.nn.Tanh(), torch.nn.Linear(20, 3))
            examples = torch.utils.data.TensorDataset(torch.from_numpy(data.inputs), torch.from_numpy(data.labels))
            fitted.append(laplace.Laplace(module, "classification"))
            fitted[-1].fit(torch.utils.data.DataLoader(examples, batch_size=40))
            return fitted[-1]

    probs = functions(LastLayer(), list(range(2000)))
    # The functional variance and mean of the logits are those of the linearised model, which the package has exactly.
    mean, variance = fitted[0]._glm_predictive_distribution(torch.from_numpy(X))
    differences = np.log(probs[..., 0]) - np.log(probs[..., 2])
    contrast = np.array([1.0, 0.0, -1.0])
    spread = np.sqrt(np.einsum("i,nij,j->n", contrast, variance.detach().numpy(), contrast))
    error = spread / np.sqrt(len(probs))
    assert (np.abs(differences.mean(axis=0) - mean.detach().numpy() @ contrast) < 5 * error).all()
    np.testing.assert_allclose(differences.std(axis=0), spread, rtol=0.1)


class TestGPyTorch:
    X = np.linspace(-2, 2, 12, dtype=np.float32)[:, None]
    #: Far from standardized: a mean of 100, and a noise whose scale is that of the targets.
    Y = (100 + 20 * np.sin(2 * X[:, 0]) + np.random.default_rng(0).normal(0, 3, 12)).astype(np.float32)

    def process(self) -> Any:
        """Returns an agent whose hyperparameters are the defaults of BoTorch, of any version."""
        pytest.importorskip("botorch", reason="BoTorch is installed beside PyTorch")
        import torch
        from botorch.models import SingleTaskGP
        from botorch.models.transforms import Normalize, Standardize

        class Untrained(Process):
            def fit(self, task: je.RegressionTask, data: je.Targets, seed: int) -> Any:
                if len(data) < 2:
                    raise je.Unsupported("too few examples to standardize")
                x, y = torch.from_numpy(data.inputs).double(), torch.from_numpy(data.targets).double()
                transforms: Any = {"input_transform": Normalize(task.input_dim), "outcome_transform": Standardize(m=1)}
                model = SingleTaskGP(x, y[:, None], **transforms)
                model.likelihood.noise = 0.04
                return model

        return Untrained

    def test_paths_have_the_moments_of_the_process(self) -> None:
        inputs, draws = np.array([[-1.9], [0.3], [0.4], [3.0]], np.float32), np.arange(2000, dtype=np.uint64)
        with served(self.process()()) as host:
            request: dict[str, Any] = {"kind": "regression", "task": {"input_dim": 1, "noise_std": None}}
            arrays = {"train.inputs": self.X, "train.targets": self.Y}
            assert host.train(**request, arrays=arrays) == {"trained": True}
            _, exact = host.ask({"method": "gaussian"}, {"inputs": inputs})
            _, sampled = host.ask({"method": "sample_functions"}, {"inputs": inputs, "draws": draws})
            _, alone = host.ask({"method": "sample_functions"}, {"inputs": inputs[2:3], "draws": draws[5:6]})
        means, covariance = sampled["means"], exact["covariance"]
        spread = np.sqrt(np.diag(covariance))
        assert (np.abs(means.mean(axis=0) - exact["mean"]) < 5 * spread / np.sqrt(len(draws))).all()
        scale = np.outer(spread, spread)
        np.testing.assert_allclose(np.cov(means.T) / scale, covariance / scale, atol=0.1)
        np.testing.assert_allclose(alone["means"][0, 0], means[5, 2], rtol=TOLERANCE)
        # A noise variance of 0.04 on the scale of standardized targets.
        np.testing.assert_allclose(exact["noise_variance"], 0.04 * self.Y.var(ddof=1), rtol=1e-4)
        np.testing.assert_allclose(sampled["noise_stds"] ** 2, 0.04 * self.Y.var(ddof=1), rtol=1e-4)

    @pytest.mark.usefixtures("real")
    def test_fresh_samples_of_the_posterior_are_no_functions(self) -> None:
        """The same random numbers give another function for another batch of inputs."""
        untrained = self.process()
        import torch

        class Fresh(untrained):  # type: ignore[misc,valid-type]
            def sample_functions(self, inputs: Any, draws: je.Draws) -> Any:
                with torch.no_grad():
                    posterior = self._model.posterior(self._tensor(inputs))
                    means = []
                    for draw in draws.tolist():
                        torch.manual_seed(je.seed32(self._seed, draw))
                        means.append(posterior.rsample().reshape(-1).numpy())
                return np.stack(means), np.full((len(draws), len(inputs)), self._noise**0.5)

        kept, broken = je.check(untrained()), je.check(Fresh())
        assert kept, repr(kept)
        assert [clause.name for clause in broken.broken] == ["rows-alone", "rows-order", "rows-batch"]
        assert "row 0 among 1 rows and among 23" in (broken.broken[0].broken or "")
