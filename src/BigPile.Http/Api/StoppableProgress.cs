using System;
using System.Threading;

namespace BigPile.Http.Api;

/// <summary>Cancels work that takes no token, at its next progress report.</summary>
/// <param name="receiver">The receiver of the reports.</param>
/// <param name="stop">Is canceled to end the work.</param>
/// <remarks>Thread safety: as the receiver's.</remarks>
internal sealed class StoppableProgress(IProgress<PileProgress> receiver, CancellationToken stop) : IProgress<PileProgress>
{
    /// <inheritdoc/>
    /// <exception cref="OperationCanceledException">The work was canceled.</exception>
    public void Report(PileProgress value)
    {
        stop.ThrowIfCancellationRequested();
        receiver.Report(value);
    }
}
