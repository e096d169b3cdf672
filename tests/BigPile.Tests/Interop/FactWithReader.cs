namespace BigPile.Tests.Interop;

/// <summary>A test that needs Debian's python3-msgpack; skipped where it is missing.</summary>
internal sealed class FactWithPythonAttribute : FactAttribute
{
    public FactWithPythonAttribute() =>
        Skip = ExternalReader.PythonPath == null ? "No Python with the package msgpack is here: apt-get install python3-msgpack" : null;
}

/// <summary>A test that needs the npm package @msgpack/msgpack; skipped where it is missing.</summary>
internal sealed class FactWithNodeAttribute : FactAttribute
{
    public FactWithNodeAttribute() =>
        Skip = ExternalReader.NodeFolder == null ? "The package @msgpack/msgpack is not in artifacts/interop: .ci/run installs it" : null;
}
