using System;
using System.IO;
using BigPile;
using BigPile.Torture;
using BigPile.Torture.Readers;

Pauses.Install();
try
{
    if (args is [ChildProcess.WorkVerb, ..])
        return ChildProcess.Work(ChildOptions.Parse(args));
    if (args is [ChildProcess.VerifyVerb, ..])
        return ChildProcess.Verify(ChildOptions.Parse(args));
    if (args is [ReadersOptions.Verb, ..])
        return ReadersRun.Run(ReadersOptions.Parse(args.AsSpan(1)));
    if (args is [{ } verb, ..] && Children.IsVerb(verb))
        return Children.Run(args);
    return TortureRun.Run(TortureOptions.Parse(args));
}
catch (Exception e) when (e is PileException or IOException && args[0] is (ChildProcess.WorkVerb or ChildProcess.VerifyVerb))
{
    Console.WriteLine($"  it can't be opened or read: {e.Message}");
    return ChildProcess.Failed;
}
catch (BadArgumentException e)
{
    Console.Error.WriteLine(e.Message);
    return 2;
}
