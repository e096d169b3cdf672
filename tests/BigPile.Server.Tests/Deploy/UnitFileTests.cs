using System;
using System.IO;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Deploy;

public sealed class UnitFileTests
{
    private const string Verifier = "/usr/bin/systemd-analyze";

    [ProgramFact(Verifier)]
    public async Task The_service_manager_finds_nothing_wrong_with_the_unit()
    {
        string unit = Path.Combine(SourceTree.Root, "deploy", "systemd", "bigpile.service");
        await using ServerProcess verify = ServerProcess.Start([Verifier, "verify", unit], SourceTree.Root);
        (int code, _, string error) = await verify.WaitForEndAsync();
        // Whether the program lies where the unit starts it is the machine's matter.
        error = string.Join(
            '\n', Array.FindAll(error.Split('\n'), static line => !line.Contains("is not executable", StringComparison.Ordinal)));
        Assert.Equal("", error);
        Assert.InRange(code, 0, 1);
    }
}
