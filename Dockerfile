# The command line in an image without a compiler, Java or root:
#   docker build -t mqclause . && docker run --rm -v "$PWD:/work:ro" mqclause check config
FROM python:3.13-slim-trixie AS build
WORKDIR /src
COPY pyproject.toml setup.py README.md LICENSE ./
COPY engine engine
COPY model model
COPY rules rules
COPY spec_tests/clauses spec_tests/clauses
COPY tools tools
RUN python -m venv /opt/mqclause && /opt/mqclause/bin/pip install --no-cache-dir --quiet '.[html]'

FROM python:3.13-slim-trixie
COPY --from=build /opt/mqclause /opt/mqclause
ENV PATH=/opt/mqclause/bin:$PATH
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["mqclause"]
CMD ["--help"]
