import { createRedactor } from '../src/case/redact/redactor.ts';
for (const unit of ['a', '\n', 'kind: Secret\ndata:\n  a: b\n','kind: Secret\ndata:\n  a:      ','$ANSIBLE_VAULT;1\nab\n','\u001b[1m','\u001b]0;','_key: ','webhook=','_key=aB', 'kind: Secret\ndata:\n a: "'+'x'.repeat(100)]) {
  const { redact } = createRedactor({ secrets: [{value:'two words 99',kind:'token',from:''}] });
  const c = process.cpuUsage(); let e=''; try { redact(unit.repeat(Math.ceil(1048576/unit.length))); } catch (x) { e = String(x); }
  const d = process.cpuUsage(c); console.log(JSON.stringify(unit).slice(0,50), Math.round((d.user+d.system)/1000), e);
}
