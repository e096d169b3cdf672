using System;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Perf;

using var stop = new CancellationTokenSource();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, StopCleanly);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, StopCleanly);
return await PerfApp.RunAsync(args, Console.Out, Console.Error, stop.Token);

// The first signal stops the load, which then gives everything back; a second one ends the process at once.
void StopCleanly(PosixSignalContext signal)
{
    signal.Cancel = !stop.IsCancellationRequested;
    stop.Cancel();
}
