using System.IO.Pipelines;

namespace BigPile.Http.FastPath;

/// <summary>A connection's pipes, with a <see cref="HandoverReader"/> as the input.</summary>
internal sealed class HandoverTransport(PipeReader input, PipeWriter output) : IDuplexPipe
{
    /// <inheritdoc/>
    public PipeReader Input => input;

    /// <inheritdoc/>
    public PipeWriter Output => output;
}
