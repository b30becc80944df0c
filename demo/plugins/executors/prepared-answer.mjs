// Stands in where no model answers: what it proposes was written for this demo. It takes the way of every answer, through the
// gate and a run of the stage.
const ANSWER = `Fix: Take the address from the subnet of the lab
Reason: 192.168.4.200 lacks a digit: the subnet in the same file is 192.168.40.0/24

\`\`\`diff
--- a/config/ingress.conf
+++ b/config/ingress.conf
@@ -1,2 +1,2 @@
 subnet=192.168.40.0/24
-address=192.168.4.200
+address=192.168.40.200
\`\`\`
`;

export default {
  name: 'prepared-answer',
  kind: 'executor',
  propose({ stage, say }) {
    if (stage.name !== 'ingress') return { pass: 'its only answer is for ingress' };
    say('written beforehand for this demo, by no model');
    return { answer: ANSWER };
  },
};
