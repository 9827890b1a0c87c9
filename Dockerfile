# The base package on CPU, for a user without rights and a file system that is read only:
#   docker build -t showthrough .
#   docker run --rm --read-only --tmpfs /tmp --network none -v "$PWD:/data" showthrough check run.json
FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml hatch_build.py README.md LICENSE constraints.txt ./
COPY src src
RUN python -m venv /opt/showthrough \
    && /opt/showthrough/bin/pip install --no-cache-dir --disable-pip-version-check -c constraints.txt . \
    && /opt/showthrough/bin/pip uninstall --yes pip

FROM python:3.12-slim
COPY --from=build /opt/showthrough /opt/showthrough
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin showthrough
ENV PATH=/opt/showthrough/bin:$PATH HOME=/tmp XDG_CACHE_HOME=/tmp/cache PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /data
HEALTHCHECK --interval=1m --timeout=10s CMD ["showthrough", "--version"]
ENTRYPOINT ["showthrough"]
CMD ["--help"]
