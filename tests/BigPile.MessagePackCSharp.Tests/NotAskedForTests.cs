namespace BigPile.MessagePackCSharp.Tests;

/// <summary>Says why nothing of this project ran.</summary>
public sealed class NotAskedForTests
{
    [Fact(Skip = "Beside MessagePack-CSharp only with -p:MessagePackCSharp=true, where the package MessagePack can be had.")]
    public void TestsBesideTheLibraryAreNotAskedFor()
    {
    }
}
