"""What `__init__.py` hands out, for type checkers and editors."""

from showthrough.core.call_syntax import parameter as parameter
from showthrough.core.errors import (
    InputError as InputError,
    Interrupted as Interrupted,
    OutputError as OutputError,
    PlanError as PlanError,
    Problem as Problem,
    ResourceError as ResourceError,
    ShowthroughError as ShowthroughError,
)
from showthrough.data.authorship import (
    Rating as Rating,
    Ratings as Ratings,
)
from showthrough.data.background import Background as Background
from showthrough.data.documents import (
    Annotation as Annotation,
    Authorship as Authorship,
    Corpus as Corpus,
    Document as Document,
    Mention as Mention,
)
from showthrough.data.masks import (
    Anonymization as Anonymization,
    Mask as Mask,
    TypedMask as TypedMask,
    apply_masks as apply_masks,
)
from showthrough.data.population import Population as Population
from showthrough.data.release import (
    release as release,
    replaced as replaced,
)
from showthrough.data.statements import Statement as Statement, Statements as Statements
from showthrough.data.subjects import (
    Attribute as Attribute,
    Subject as Subject,
)
from showthrough.evaluation.api import evaluate as evaluate
from showthrough.evaluation.ceiling import ceiling as ceiling
from showthrough.evaluation.engine import evaluate_plan as evaluate_plan
from showthrough.evaluation.plan import Plan as Plan
from showthrough.families.authorship.verifiers.base import Question as Question, Verifier as Verifier
from showthrough.families.authorship.verifiers.table import VERIFIERS as VERIFIERS
from showthrough.families.authorship.verifiers.trained import (
    TrainedVerifier as TrainedVerifier,
    load_verifier as load_verifier,
)
from showthrough.families.authorship.verifiers.training import train_verifier as train_verifier
from showthrough.families.reidentification.api import reidentify as reidentify
from showthrough.families.reidentification.attacks import ATTACKS as ATTACKS, Attack as Attack
from showthrough.formats import (
    FORMATS as FORMATS,
    Format as Format,
    read_anonymization as read_anonymization,
    read_corpus as read_corpus,
)
from showthrough.formats.authorship.ratings import read_ratings as read_ratings
from showthrough.formats.datasets.fetching import fetch as fetch
from showthrough.formats.people.background import read_background as read_background
from showthrough.formats.people.population import read_population as read_population
from showthrough.formats.people.statements import read_statements as read_statements
from showthrough.formats.writing import write_corpus as write_corpus
from showthrough.metrics import (
    METRICS as METRICS,
    ClusteringAgreement as ClusteringAgreement,
    EntityRecall as EntityRecall,
    FScore as FScore,
    Metric as Metric,
    PhiHardToken as PhiHardToken,
    PhiInstance as PhiInstance,
    PhiLeak as PhiLeak,
    PhiSpan as PhiSpan,
    PhiToken as PhiToken,
    Precision as Precision,
    Recall as Recall,
    RecallPerType as RecallPerType,
    ReIdentification as ReIdentification,
    Residual as Residual,
    Rows as Rows,
    Safety as Safety,
    Sensibleness as Sensibleness,
    Soundness as Soundness,
    TextPreservedInformation as TextPreservedInformation,
    TextPreservedSimilarity as TextPreservedSimilarity,
    WeightedPrecision as WeightedPrecision,
    parse_metric as parse_metric,
)
from showthrough.models.detectors import DETECTORS as DETECTORS, Detector as Detector, Find as Find
from showthrough.models.detectors.scanning import (
    Sighting as Sighting,
    leaks as leaks,
)
from showthrough.run.records import (
    Ceiling as Ceiling,
    Comparison as Comparison,
    Human as Human,
    Score as Score,
    Sweep as Sweep,
)
from showthrough.run.run import Run as Run
from showthrough.studies.agreement import Agreement as Agreement, agreement as agreement
from showthrough.studies.description import describe as describe
from showthrough.studies.errors import error_cases as error_cases
from showthrough.studies.rating.sampling import RatingSample as RatingSample, rating_sample as rating_sample
from showthrough.studies.review.adjudication import (
    Adjudicated as Adjudicated,
    adjudicate as adjudicate,
)
from showthrough.studies.review.application import Reviewed as Reviewed, reviewed as reviewed
from showthrough.studies.review.folder import ReviewCopies as ReviewCopies, review_copies as review_copies
from showthrough.studies.risk import RiskAnnex as RiskAnnex, risk_annex as risk_annex
from showthrough.studies.rules import rules_worth as rules_worth, with_rules as with_rules
from showthrough.studies.splits import (
    CorpusSplit as CorpusSplit,
    split_corpus as split_corpus,
)
from showthrough.studies.stress.comparison import stress as stress
from showthrough.studies.stress.values import StressStudy as StressStudy
from showthrough.studies.verification import VerifierScores as VerifierScores, verifier_scores as verifier_scores
from showthrough.systems import (
    ANONYMIZERS as ANONYMIZERS,
    Anonymizer as Anonymizer,
    anonymize as anonymize,
    anonymizer as anonymizer,
)
from showthrough.systems.encoders.api import train_transformer as train_transformer
from showthrough.systems.silver import annotate as annotate
from showthrough.systems.taggers.tagger import Tagger as Tagger
from showthrough.systems.taggers.training import train_tagger as train_tagger
from showthrough.systems.workbench.api import bench as bench
from showthrough.version import __version__ as __version__
