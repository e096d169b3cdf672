namespace Published.App;

internal sealed class Memo
{
    public string Text { get; set; } = "";

    public override string ToString() => Text;
}
